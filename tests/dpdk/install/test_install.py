#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What `meson install` leaves is complete, and enough for programs that know nothing of this tree.

usage: test_install.py SOURCE BUILD [EAL options]

The programs are compiled with what pkg-config says of the installed files, and with nothing else.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from stock import PLUGIN, plugin_dir

SOURCE, BUILD, EAL = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
HERE = pathlib.Path(__file__).parent
BELOW_PREFIX = [
    'bin/magpie', 'bin/magpie-poolbench', 'share/man/man8/magpie.8', 'lib/systemd/system/magpie.service',
    *(f'share/doc/magpie/examples/{name}' for name in ('router.conf', 'unprivileged.conf', 'isolation.md')),
    *(f'include/magpie/{name}.h' for name in ('magazine', 'account', 'placement', 'sizing', 'mempool_magazine', 'skb', 'skb_frags',
                                              'skb_owner', 'skb_share')),
]
BELOW_LIBDIR = [name.format(lib) for lib in ('magazine', 'skb', 'mempool')
                for name in ('libmagpie_{}.a', 'pkgconfig/magpie-{}.pc')]


def run(*args, **how):
    return subprocess.run([str(arg) for arg in args], capture_output=True, text=True, timeout=120, **how)


def output(*args, **how):
    got = run(*args, **how)
    assert got.returncode == 0, f'{args}: {got}'
    return got.stdout


def options(build):
    """The build directory's options, by name."""
    return {row['name']: row['value'] for row in json.loads(output('meson', 'introspect', '--buildoptions', build))}


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.room = pathlib.Path(tempfile.mkdtemp(prefix='magpie-install-'))
        cls.addClassCleanup(shutil.rmtree, cls.room)
        cls.root = cls.room / 'root'
        output('meson', 'install', '-C', BUILD, '--no-rebuild', env={**os.environ, 'DESTDIR': str(cls.root)})
        cls.option = options(BUILD)
        cls.prefix = cls.root / cls.option['prefix'].lstrip('/')
        cls.libdir = cls.prefix / cls.option['libdir']
        # The prefix is where the files will be, not where DESTDIR has them now.
        for file in (cls.libdir / 'pkgconfig').glob('*.pc'):
            text = file.read_text()
            assert f'prefix={cls.option["prefix"]}\n' in text, text
            file.write_text(text.replace(f'prefix={cls.option["prefix"]}\n', f'prefix={cls.prefix}\n'))

    def pkg_config(self, *args):
        env = {**os.environ, 'PKG_CONFIG_PATH': f'{self.libdir}/pkgconfig'}
        return output('pkg-config', *args, env=env).split()

    def compile_and_run(self, name, *args):
        """An outside program; returns what it prints."""
        program = self.room / name
        output('cc', '-Wall', '-Werror', '-O2', '-o', program, HERE / f'outside_{name}.c',
               *self.pkg_config('--cflags', '--libs', f'magpie-{name}'))
        return output(program, *args)

    def test_the_files_are_there_and_no_others(self):
        wanted = {self.prefix / name for name in BELOW_PREFIX} | {self.libdir / name for name in BELOW_LIBDIR}
        found = {path for path in self.root.rglob('*') if not path.is_dir()}
        plugins = {path for path in found if path.name == PLUGIN}
        self.assertEqual(len(plugins), 1)
        self.assertEqual(found - plugins, wanted)
        self.assertTrue(os.access(self.prefix / 'bin/magpie', os.X_OK))
        self.assertIn(f'ExecStart={self.option["prefix"]}/bin/magpie ',
                      (self.prefix / 'lib/systemd/system/magpie.service').read_text())

    def test_no_library_is_an_index_of_objects_elsewhere(self):
        """A thin archive names files of the build directory."""
        for file in self.libdir.glob('*.a'):
            self.assertEqual(file.read_bytes()[:8], b'!<arch>\n', file)

    def test_plugin_exports_nothing(self):
        """What it did export would be taken by the program's own copy of the same functions, or take its place."""
        plugin = next(self.root.rglob(PLUGIN))
        self.assertEqual(output('nm', '-D', '--defined-only', plugin), '')

    def test_headers_compile_alone(self):
        for header in (self.prefix / 'include/magpie').glob('*.h'):
            output('cc', '-Wall', '-Werror', '-fsyntax-only', '-include', header.name, '-x', 'c', '/dev/null',
                   *self.pkg_config('--cflags', 'magpie-mempool', 'magpie-skb'))

    def test_flags_are_for_any_processor(self):
        """DPDK asks for some -march; this build's own is nobody else's business."""
        ours = self.pkg_config('--cflags', '--libs', 'magpie-mempool', 'magpie-skb')
        stock = self.pkg_config('--cflags', '--libs', 'libdpdk')
        self.assertEqual(set(ours) - set(stock),
                         {f'-I{self.prefix}/include/magpie', f'-L{self.libdir}', '-lnuma', '-lmagpie_magazine',
                          '-lmagpie_mempool', '-lmagpie_skb'})

    def test_magazines_outside(self):
        self.assertEqual(self.compile_and_run('magazine'), 'population 1000, out 100\n')

    def test_heads_outside(self):
        self.assertEqual(self.compile_and_run('skb'), 'heads 64\n')

    def test_ops_outside(self):
        self.assertIn('mbufs 1023, ops magazine\n', self.compile_and_run('mempool', *EAL))


class Places(unittest.TestCase):
    """Where the plugin goes, without building anything."""

    def place(self, *args):
        with tempfile.TemporaryDirectory(prefix='magpie-install-') as room:
            output('meson', 'setup', *args, '-Dtests=false', f'{room}/build', SOURCE)
            installed = json.loads(output('meson', 'introspect', '--installed', f'{room}/build'))
        return next(os.path.dirname(path) for path in installed.values() if path.endswith(PLUGIN))

    def test_system(self):
        for args in ([], ['--prefix=/usr']):
            self.assertEqual(self.place(*args), plugin_dir())

    def test_a_prefix_of_ones_own(self):
        self.assertEqual(self.place('--prefix=/opt/magpie', '--libdir=lib'),
                         '/opt/magpie/lib/dpdk/' + os.path.basename(plugin_dir()))

    def test_as_told(self):
        self.assertEqual(self.place('-Dplugin_dir=/srv/plugins'), '/srv/plugins')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
