"""The commit of a program is that of its build: right after a commit without a configure, and no other file is
compiled again for it."""

import os
import subprocess

from support import REPOSITORY, RunTest, call

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(x LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH {modules})
include(commit)
add_build_commit(${{CMAKE_BINARY_DIR}}/build_commit.cpp)
add_executable(x main.cpp ${{CMAKE_BINARY_DIR}}/build_commit.cpp)
add_dependencies(x build_commit)
"""
MAIN = """#include <cstdio>
namespace redbench { extern const char* const build_commit; }
int main() { std::puts(redbench::build_commit); }
"""


class Commit(RunTest):
    def setUp(self):
        super().setUp()
        (self.folder / "CMakeLists.txt").write_text(PROJECT.format(modules=REPOSITORY / "cmake"))
        (self.folder / "main.cpp").write_text(MAIN)
        (self.folder / ".gitignore").write_text("/build\n")

    def command(self, *words, **environment):
        done = call(*words, cwd=self.folder, env={**os.environ, **environment}, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def configure(self):
        self.command("cmake", "-S", ".", "-B", "build", "-G", "Ninja")

    def build(self, **environment):
        """What the build compiled and linked, by its messages, and the commit that the program tells."""
        text = self.command("cmake", "--build", "build", **environment)
        steps = [line.split(" ", 1)[1] for line in text.splitlines() if line.startswith("[")]
        return steps, self.command("build/x").strip()

    def commit(self):
        self.command("git", "add", "-A")
        self.command("git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-q", "-m", "x")
        return self.command("git", "describe", "--always", "--abbrev=12").strip()

    def test_it_follows_the_repository(self):
        self.command("git", "init", "-q")
        first = self.commit()
        self.configure()
        self.assertEqual(self.build()[1], first)
        self.assertEqual(self.build(), (["Asking for the commit"], first))  # and nothing is linked

        with open(self.folder / ".gitignore", "a") as file:
            file.write("/other\n")
        steps, commit = self.build()
        self.assertEqual(commit, first + "-dirty")
        self.assertEqual(len(steps), 3, steps)  # asked, one file compiled, linked
        second = self.commit()
        self.assertNotEqual(second, first)
        self.assertEqual(self.build()[1], second)

    def test_without_a_history_it_is_told_or_unknown(self):
        outside = {"GIT_CEILING_DIRECTORIES": str(self.folder.parent)}
        self.configure()
        self.assertEqual(self.build(**outside)[1], "unknown")
        self.assertEqual(self.build(REDBENCH_COMMIT="0123abcd-dirty", **outside)[1], "0123abcd-dirty")
        self.assertEqual(self.build(REDBENCH_COMMIT='"; x', **outside)[1], "unknown")
