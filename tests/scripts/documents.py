"""The commands of the documentation: every fenced block that says ```sh, in the repository's root.

sh        is run as it stands, but for what takes long (support.in_short), and must end with 0
sh gpu    needs a GPU: each `redbench run` is planned on the modelled H200 instead (--dry-run); a script is read alone
          (sh -n): test_gpu_tests.py runs it with tools of its own
sh make   is what runs this test: make only says what it would do (-n)
"""

import re

from support import REPOSITORY, RunTest, in_short, shell

DOCUMENTS = [REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "configs/README.md")]
DOCUMENTS += sorted(page for folder in ("docs", "kernels") for page in (REPOSITORY / folder).rglob("*.md"))


def without_gpu(line):
    if line.startswith("scripts/"):
        return f"sh -n {line.split()[0]}"
    line = re.sub(r"--device cuda:all\b", "--device simt:h200:4", line)
    return re.sub(r"--device cuda\b", "--device simt:h200", line) + " --dry-run"


KINDS = {"sh": in_short, "sh gpu": without_gpu, "sh make": lambda line: re.sub(r"^make\b", "make -n", line)}


def blocks(text):
    """(kind, lines) of the fenced blocks whose kind starts with sh."""
    for kind, body in re.findall(r"^```(sh\b[^\n]*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield kind.strip(), body.splitlines()


def command_of(kind, lines):
    if kind not in KINDS:
        raise AssertionError(f"a block of kind `{kind}`: {', '.join(KINDS)} are known")
    return "\n".join(KINDS[kind](line) for line in lines)


def builds(document):
    """Whether its commands build the program anew, which no other test may need meanwhile."""
    return bool(re.search(r"^cmake (-B|--build) ", document.read_text(encoding="utf-8"), re.MULTILINE))


class DocumentTest(RunTest):
    def run_commands(self, documents):
        for document in documents:
            for kind, lines in blocks(document.read_text(encoding="utf-8")):
                # A reader who followed the README has files of his own there.
                command = command_of(kind, lines).replace("build/my_kernels", "$HOME/readers_kernels")
                with self.subTest(document=document.name, command=command):
                    result = shell(command, HOME=str(self.folder))
                    self.assertEqual(result.returncode, 0, result.stdout[-4000:])
