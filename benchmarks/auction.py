"""Auction documents in the shape of the XMark benchmark's, of any size, the same for the same seed.

$ python -m benchmarks.auction --megabytes 50 auction.xml
$ python -m benchmarks.auction --megabytes 50 --elements elements.xml

The second writes attributes as child elements, as the thesis does (appendix C.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Annotated, BinaryIO

import typer

from benchmarks.auction_words import CITIES, COUNTRIES, PAYMENTS, SHIPPING, Pieces

DTD = Path(__file__).with_name("auction.dtd")
ELEMENTS_DTD = Path(__file__).with_name("auction_elements.dtd")
REGIONS = {
    "africa": 550,
    "asia": 2000,
    "australia": 2200,
    "europe": 6000,
    "namerica": 10000,
    "samerica": 1000,
}
"""Items in a document of scale 1, by region; the numbers of everything else keep the same proportions."""


@dataclass(frozen=True)
class Sizes:
    """How many of each there are; everything refers only to what there is."""

    scale: float

    def of(self, count: int) -> int:
        return max(1, round(count * self.scale))

    @property
    def items(self) -> int:
        return sum(map(self.of, REGIONS.values()))

    @property
    def persons(self) -> int:
        return self.of(25500)

    @property
    def open_auctions(self) -> int:
        return self.of(12000)

    @property
    def closed_auctions(self) -> int:
        return self.of(9750)

    @property
    def categories(self) -> int:
        return self.of(1000)


@dataclass
class Auction:
    """Makes the parts of a document, one record at a time."""

    sizes: Sizes
    random: Random
    elements: bool = False
    pieces: Pieces = field(init=False)

    def __post_init__(self) -> None:
        self.pieces = Pieces(self.random)

    def tag(self, name: str, body: str = "", **attributes: str) -> str:
        """An element; its attributes become its first children where the schema has none."""
        if self.elements:
            inner = "".join(f"<{name}_{key}>{value}</{name}_{key}>\n" for key, value in attributes.items())
            return f"<{name}>\n{inner}{body}</{name}>\n"
        head = "".join(f' {key}="{value}"' for key, value in attributes.items())
        return f"<{name}{head}>\n{body}</{name}>\n" if body else f"<{name}{head}/>\n"

    def leaf(self, name: str, text: object) -> str:
        return f"<{name}>{text}</{name}>\n"

    def any_of(self, name: str, count: int) -> str:
        return f"{name}{int(self.random.random() * count)}"

    def person(self) -> str:
        return self.any_of("person", self.sizes.persons)

    def category(self) -> str:
        return self.any_of("category", self.sizes.categories)

    def maybe(self, chance: float, make: Callable[[], str]) -> str:
        return make() if self.random.random() < chance else ""

    def repeated(self, low: int, high: int, make: Callable[[], str]) -> str:
        return "".join(make() for _ in range(self.random.randint(low, high)))

    def date(self) -> str:
        random = self.random.random
        return f"{int(random() * 12) + 1:02}/{int(random() * 28) + 1:02}/{int(random() * 4) + 1998}"

    def time(self) -> str:
        random = self.random.random
        return f"{int(random() * 24):02}:{int(random() * 60):02}:{int(random() * 60):02}"

    def money(self, most: float) -> str:
        return f"{self.random.random() ** 2 * most + 1:.2f}"

    def description(self) -> str:
        return self.random.choice(self.pieces.descriptions)

    def mail(self) -> str:
        names = self.pieces.names
        one, other = self.random.choice(names), self.random.choice(names)
        return (
            f"<mail>\n<from>{one} mailto:{one[0]}@example.org</from>\n"
            f"<to>{other} mailto:{other[0]}@example.com</to>\n"
            f"<date>{self.date()}</date>\n{self.random.choice(self.pieces.texts)}</mail>\n"
        )

    def item(self, number: int) -> str:
        choice = self.random.choice
        featured = {"featured": "yes"} if self.random.random() < 0.1 else {}
        body = (
            f"<location>{choice(COUNTRIES)}</location>\n"
            f"<quantity>{int(self.random.random() ** 4 * 5) + 1}</quantity>\n"
            f"<name>{choice(self.pieces.phrases)}</name>\n"
            f"<payment>{choice(PAYMENTS)}, {choice(PAYMENTS)}</payment>\n"
            f"{self.description()}<shipping>{choice(SHIPPING)}, {choice(SHIPPING)}</shipping>\n"
        )
        categories = self.repeated(1, 6, lambda: self.tag("incategory", category=self.category()))
        mails = self.repeated(0, 3, self.mail)
        return self.tag(
            "item", f"{body}{categories}<mailbox>\n{mails}</mailbox>\n", id=f"item{number}", **featured
        )

    def category_record(self, number: int) -> str:
        name = self.leaf("name", self.random.choice(self.pieces.phrases))
        return self.tag("category", name + self.description(), id=f"category{number}")

    def edge(self, number: int) -> str:
        return self.tag("edge", **{"from": self.category(), "to": self.category()})

    def address(self) -> str:
        choice = self.random.choice
        number = int(self.random.random() * 99) + 1
        street = (
            f"<street>{number} {choice(self.pieces.phrases)} St</street>\n<city>{choice(CITIES)}</city>\n"
        )
        province = self.maybe(0.3, lambda: self.leaf("province", choice(self.pieces.phrases)))
        return (
            f"<address>\n{street}<country>{choice(COUNTRIES)}</country>\n"
            f"{province}<zipcode>{number}</zipcode>\n</address>\n"
        )

    def profile(self) -> str:
        interests = self.repeated(0, 4, lambda: self.tag("interest", category=self.category()))
        rest = (
            self.maybe(0.5, lambda: self.leaf("education", "Graduate School"))
            + self.maybe(0.5, lambda: self.leaf("gender", self.random.choice(("female", "male"))))
            + self.leaf("business", self.random.choice(("Yes", "No")))
            + self.maybe(0.5, lambda: self.leaf("age", int(self.random.random() * 50) + 18))
        )
        income = (
            {"income": f"{9876 + self.random.random() * 100000:.2f}"} if self.random.random() < 0.8 else {}
        )
        return self.tag("profile", interests + rest, **income)

    def watches(self) -> str:
        auction = lambda: self.any_of("open_auction", self.sizes.open_auctions)  # noqa: E731
        watches = self.repeated(0, 6, lambda: self.tag("watch", open_auction=auction()))
        return f"<watches>\n{watches}</watches>\n"

    def person_record(self, number: int) -> str:
        name = self.random.choice(self.pieces.names)
        body = (
            f"<name>{name}</name>\n<emailaddress>mailto:{name.replace(' ', '.')}@example.net</emailaddress>\n"
            + self.maybe(
                0.5, lambda: self.leaf("phone", f"+{number % 90 + 10} (0) {number * 7919 % 10**8:08}")
            )
            + self.maybe(0.5, self.address)
            + self.maybe(0.5, lambda: self.leaf("homepage", f"http://www.example.net/~person{number}"))
            + self.maybe(
                0.5, lambda: self.leaf("creditcard", f"{number % 9000 + 1000} 4711 0815 {number % 97 + 1000}")
            )
            + self.maybe(0.75, self.profile)
            + self.maybe(0.5, self.watches)
        )
        return self.tag("person", body, id=f"person{number}")

    def bidder(self) -> str:
        increase = int(self.random.random() ** 2 * 12 + 1) * 1.5
        reference = self.tag("personref", person=self.person())
        return (
            f"<bidder>\n<date>{self.date()}</date>\n<time>{self.time()}</time>\n"
            f"{reference}<increase>{increase:.2f}</increase>\n</bidder>\n"
        )

    def annotation(self) -> str:
        author = self.tag("author", person=self.person())
        happiness = self.leaf("happiness", int(self.random.random() * 10) + 1)
        return f"<annotation>\n{author}{self.description()}{happiness}</annotation>\n"

    def sold(self) -> str:
        kind = self.random.choice(("Regular", "Featured"))
        return f"<quantity>{int(self.random.random() * 3) + 1}</quantity>\n<type>{kind}</type>\n"

    def open_auction(self, number: int) -> str:
        body = (
            self.leaf("initial", self.money(300))
            + self.maybe(0.4, lambda: self.leaf("reserve", self.money(600)))
            + self.repeated(0, 8, self.bidder)
            + self.leaf("current", self.money(900))
            + self.maybe(0.5, lambda: self.leaf("privacy", "Yes"))
            + self.tag("itemref", item=self.any_of("item", self.sizes.items))
            + self.tag("seller", person=self.person())
            + self.annotation()
            + self.sold()
            + f"<interval>\n<start>{self.date()}</start>\n<end>{self.date()}</end>\n</interval>\n"
        )
        return self.tag("open_auction", body, id=f"open_auction{number}")

    def closed_auction(self, number: int) -> str:
        body = (
            self.tag("seller", person=self.person())
            + self.tag("buyer", person=self.person())
            + self.tag("itemref", item=self.any_of("item", self.sizes.items))
            + f"<price>{self.money(300)}</price>\n<date>{self.date()}</date>\n"
            + self.sold()
            + self.maybe(0.9, self.annotation)
        )
        return f"<closed_auction>\n{body}</closed_auction>\n"

    def records(self) -> Iterator[str]:
        """The document, a record at a time."""
        yield '<?xml version="1.0" encoding="UTF-8"?>\n<site>\n<regions>\n'
        first = 0
        for region, count in REGIONS.items():
            yield from self._section(region, self.sizes.of(count), self.item, first)
            first += self.sizes.of(count)
        yield "</regions>\n"
        yield from self._section("categories", self.sizes.categories, self.category_record)
        yield from self._section("catgraph", self.sizes.categories, self.edge)
        yield from self._section("people", self.sizes.persons, self.person_record)
        yield from self._section("open_auctions", self.sizes.open_auctions, self.open_auction)
        yield from self._section("closed_auctions", self.sizes.closed_auctions, self.closed_auction)
        yield "</site>\n"

    def _section(self, name: str, count: int, make: Callable[[int], str], first: int = 0) -> Iterator[str]:
        yield f"<{name}>\n"
        yield from map(make, range(first, first + count))
        yield f"</{name}>\n"


def scale_for(megabytes: float, elements: bool = False) -> float:
    """The scale that gives a document of about this size, from one that is small."""
    sample = Auction(Sizes(0.01), Random(0), elements)
    return 0.01 * megabytes * 1e6 / sum(map(len, sample.records()))


def write_auction(out: BinaryIO, megabytes: float, seed: int = 0, elements: bool = False) -> int:
    """Write a document of about this many megabytes (10⁶ bytes); returns its size in bytes."""
    auction = Auction(Sizes(scale_for(megabytes, elements)), Random(seed), elements)
    size, batch = 0, list[str]()
    for record in auction.records():
        batch.append(record)
        if len(batch) == 500:
            size += out.write("".join(batch).encode())
            batch.clear()
    return size + out.write("".join(batch).encode())


def main(
    path: Annotated[Path, typer.Argument(help="Where the document is written.")],
    megabytes: Annotated[float, typer.Option(help="Its size, in millions of bytes.")] = 50.0,
    seed: Annotated[int, typer.Option(help="Another seed, another document.")] = 0,
    elements: Annotated[bool, typer.Option("--elements", help="Write attributes as child elements.")] = False,
) -> None:
    """Write an auction document."""
    with path.open("wb") as out:
        write_auction(out, megabytes, seed, elements)


if __name__ == "__main__":
    typer.run(main)
