# SPDX-License-Identifier: BSD-3-Clause
"""What a check looks at: the files of the project, or of a small sample tree."""
import concurrent.futures
import functools
import json
import os
import shlex
import subprocess
import tempfile

SOURCE_DIRS = ('app', 'drivers', 'lib', 'tests')


class CannotJudge(Exception):
    """The tree is in no state to be checked; says why."""


def run(args, cwd=None):
    """Runs a program; gives its exit status and everything it printed."""
    done = subprocess.run(args, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors='replace', check=False)
    return done.returncode, done.stdout


def in_parallel(function, items):
    """function(item) for every item, as many at once as there are CPUs; results in order."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(function, items))


class Tree:
    """Paths are relative to root and use '/'."""

    def __init__(self, root, paths):
        self.root = root
        self.paths = sorted(p for p in paths if os.path.isfile(os.path.join(root, p)))

    def path(self, path):
        return os.path.join(self.root, path)

    @functools.lru_cache(maxsize=None)
    def text(self, path):
        """The file's text; None for a binary file."""
        with open(self.path(path), 'rb') as file:
            data = file.read()
        return None if b'\0' in data else data.decode('utf-8', 'replace')

    def lines(self, path):
        """(number, line) of a text file, from 1."""
        return enumerate((self.text(path) or '').split('\n'), 1)

    def texts(self):
        return [p for p in self.paths if self.text(p) is not None]

    def ending(self, *suffixes):
        return [p for p in self.paths if p.endswith(suffixes)]

    def interpreted(self, word):
        """Files whose first line names an interpreter with word in it."""
        first = {p: self.text(p).split('\n', 1)[0] for p in self.texts()}
        return [p for p, line in first.items() if line.startswith('#!') and word in line.split('/')[-1]]

    def shell_files(self):
        return sorted({*self.ending('.sh'), *self.interpreted('sh')})

    def python_files(self):
        return sorted({*self.ending('.py'), *self.interpreted('python')})


class Project(Tree):
    """The checkout: what git tracks, and what it would take in."""

    def __init__(self, root, build):
        super().__init__(root, self._list(root))
        self.build = build

    @staticmethod
    def _list(root):
        status, out = run(['git', '-c', 'safe.directory=*', '-C', root, 'ls-files', '-z', '-co',
                           '--exclude-standard'])
        if status == 0:
            return set(out.split('\0')) - {''}
        paths = []  # no git, or an unpacked archive
        for folder, folders, files in os.walk(root):
            folders[:] = [f for f in folders if not f.startswith('build') and f not in ('.git', '__pycache__')]
            paths += [os.path.relpath(os.path.join(folder, f), root) for f in files]
        return paths

    @functools.cached_property
    def commands(self):
        """How the build compiles each .c file: {path: (directory, arguments)}."""
        database = os.path.join(self.build, 'compile_commands.json')
        setup = ['/usr/bin/ninja', '-C', self.build, 'build.ninja']
        if not os.path.exists(database):
            setup = ['/usr/bin/meson', 'setup', self.build, self.root]
        status, out = run(setup)
        if status != 0:
            why = [line for line in out.splitlines() if 'ERROR' in line] or out.splitlines()
            raise CannotJudge(f'meson cannot configure {self.build}: {why[0]}')
        with open(database, encoding='utf-8') as file:
            entries = json.load(file)
        found = {}
        for entry in entries:
            full = os.path.normpath(os.path.join(entry['directory'], entry['file']))
            args = entry.get('arguments') or shlex.split(entry['command'])
            found.setdefault(os.path.relpath(full, self.root), (entry['directory'], args))
        if not any(path in found for path in self.paths):
            raise CannotJudge(f'{self.build} is the build of another tree')
        return found


class Sample(Tree):
    """A small tree made from {path: text}; gone after use."""

    def __init__(self, files):
        self._folder = tempfile.TemporaryDirectory(prefix='magpie-lint.')
        root = self._folder.name
        for path, text in files.items():
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, 'w', encoding='utf-8') as file:
                file.write(text)
        super().__init__(root, files)
        self.build = None
        includes = sorted({'-I' + os.path.dirname(self.path(p)) for p in self.ending('.h')})
        self.commands = {p: (root, ['gcc', '-std=gnu11', '-O2', *includes, '-o', 'x.o', '-c', self.path(p)])
                         for p in self.ending('.c')}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._folder.cleanup()


def flags(command):
    """A compile command's flags: without the compiler, the input and the outputs."""
    out, skip = [], False
    for arg in command[1][1:]:
        if skip:
            skip = False
        elif arg in ('-o', '-MF', '-MQ'):
            skip = True
        elif arg not in ('-c', '-MD') and not arg.endswith('.c'):
            out.append(arg)
    return out
