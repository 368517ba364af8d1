"""The commands of the documents that build the program anew."""

from builds import RebuildTest
from documents import DOCUMENTS, DocumentTest, builds


class Commands(RebuildTest, DocumentTest):
    def test_every_command_works(self):
        self.addCleanup(self.build, "")
        self.run_commands(filter(builds, DOCUMENTS))
