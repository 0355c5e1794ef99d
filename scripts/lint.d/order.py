# SPDX-License-Identifier: BSD-3-Clause
"""the build itself refuses a library that uses a higher one"""
import os
import re
import tempfile

from tree import run

LIST = 'lib/meson.build'
TOP = ("project('order', 'c')\nplatform = []\nsubdir('lib')\n")


def _project(folder, listing, libraries, deps, include):
    """Two libraries, low and high, built by the given lib/meson.build; high.c includes low.h or not."""
    names = ', '.join(f"'{name}'" for name in libraries)
    files = {'meson.build': TOP, LIST: re.sub(r'^libraries = \[[^\]]*\]', f'libraries = [{names}]', listing, flags=re.M),
             'lib/low/low.h': '#define LOW 1\n', 'lib/high/high.c': include + 'int high(void);\n'}
    for name in ('low', 'high'):
        wanted = ', '.join(f"'{dep}'" for dep in deps.get(name, ()))
        files.setdefault(f'lib/{name}/{name}.c', 'int low(void);\n')
        files[f'lib/{name}/meson.build'] = f"sources = files('{name}.c')\ndeps = [{wanted}]\n"
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), 'w', encoding='utf-8') as file:
            file.write(text)


def _builds(listing, libraries, deps, include=''):
    """Whether such a project configures and compiles, and what was said."""
    with tempfile.TemporaryDirectory(prefix='magpie-lint.') as folder:
        _project(folder, listing, libraries, deps, include)
        status, out = run(['/usr/bin/meson', 'setup', 'b'], cwd=folder)
        if status == 0:
            status, out = run(['/usr/bin/ninja', '-C', 'b'], cwd=folder)
        return status == 0, out


def check(tree):
    if LIST not in tree.paths:
        return [f'{LIST}: is missing']
    listing, order, include = tree.text(LIST), ('low', 'high'), '#include "low.h"\n'
    out = []
    built, said = _builds(listing, order, {'high': ['low']}, include)
    if not built:
        out.append(f'{LIST}: does not build two libraries in the right order: {said.splitlines()[-1]}')
    built, said = _builds(listing, order, {'low': ['high']})
    if built or 'does not stand above' not in said:
        out.append(f'{LIST}: accepts a library that uses a higher one')
    if _builds(listing, order, {}, include)[0]:
        out.append(f'{LIST}: a header compiles though its library is not in deps')
    return out


_LISTING = """libraries = ['x']
library_deps = {}
foreach name : libraries
  subdir(name)
  uses = []
  foreach dep : deps
    if dep not in library_deps
      error('@0@ does not stand above it'.format(dep))
    endif
    uses += library_deps[dep]
  endforeach
  library_deps += {name: declare_dependency(include_directories: include_directories(name), link_with:
    static_library(name, sources, dependencies: uses, include_directories: include_directories(name)))}
endforeach
"""
GOOD = {LIST: _LISTING}
BAD = {
    'any order': {LIST: _LISTING.replace('error(', 'message(').replace('    uses += library_deps[dep]\n', '')},
    'open include path': {LIST: _LISTING.replace('uses = []', "uses = [declare_dependency(include_directories: 'low')]")},
}
