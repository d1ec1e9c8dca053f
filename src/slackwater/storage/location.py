"""A location in storage: a file or folder of this machine, or of a filesystem that PyArrow reads and writes.

    location("/data/state")                                  a path, or file:///data/state
    location("s3://bucket/state?region=eu-central-1")        s3, s3a, gs, gcs, abfs, abfss, hdfs, viewfs

    folder / name           a location below it
    uri                     the text from which `location` makes it again, in another process, too
    str(location)           the same without credentials and settings: for messages
    read() size()           of a file; FileNotFoundError where there is none
    write(content)          whole or not at all: here by draft, fsync and rename, elsewhere by one PUT
    exists() files() names() delete() delete_all() make() modified()

All operations raise OSError, and no other exception, where the storage fails. Locations are values: equal,
hashable and picklable. A worker gets the location, or its `uri`, and opens the filesystem itself; credentials
come from its environment.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

Content = bytes | memoryview


class Location(ABC):
    """A file or folder of a storage."""

    __slots__ = ()

    @property
    @abstractmethod
    def name(self) -> str: ...

    @property
    @abstractmethod
    def uri(self) -> str:
        """The text from which `location` makes it again. It may have credentials: never shown or stored."""

    @property
    @abstractmethod
    def is_exclusive(self) -> bool:
        """Whether creating a file is exclusive: of several concurrent writers only one succeeds."""

    @abstractmethod
    def __truediv__(self, name: str) -> Location: ...

    @abstractmethod
    def read(self) -> bytes: ...

    @abstractmethod
    def write(self, content: Content, mark: str = "", *, is_new: bool = False) -> int:
        """Write the file whole or not at all; returns its bytes.

        A mark keeps drafts of concurrent writers apart. A file that has to be new is not replaced: raises
        FileExistsError, reliably where the storage `is_exclusive`.
        """

    @abstractmethod
    def exists(self) -> bool:
        """Whether there is such a file."""

    @abstractmethod
    def size(self) -> int: ...

    @abstractmethod
    def modified(self) -> float:
        """When the file was last written, in seconds, by the clock of the storage; 0 where there is none."""

    @abstractmethod
    def names(self) -> list[str]:
        """The files and folders in this folder, sorted; none where there is no such folder."""

    @abstractmethod
    def files(self) -> list[str]:
        """The files in this folder, sorted; none where there is no such folder."""

    @abstractmethod
    def make(self) -> None:
        """Create the folder, where storage has folders."""

    @abstractmethod
    def delete(self) -> None:
        """Delete the file, if there is one."""

    @abstractmethod
    def delete_all(self) -> None:
        """Delete the folder with everything in it, as far as possible."""
