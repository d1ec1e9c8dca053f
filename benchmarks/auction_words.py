"""The pieces of an auction document: words, names and texts, a few thousand of each, drawn once."""

from __future__ import annotations

from collections.abc import Callable
from random import Random


def _words(text: str) -> list[str]:
    return text.split()


WORDS = _words(
    """
    anchor ashore aft ballast barge bay beacon beam bight billow bow breaker breeze brine buoy cable
    calm canvas cape cargo channel chart cliff coast compass coral cove creek crest crew current
    deck delta depth dinghy dock drift dune ebb eddy estuary ferry fjord fleet flood foam fog fore
    galley gale gold gulf gull gust hail harbour haul haven hawser headland helm hold horizon hull
    inlet island jetty keel kelp knot lagoon lantern leeward lighthouse line lock log low marsh mast
    mist mooring mouth narrows neap north oar ocean offshore otter paddle pearl pebble pennant pier
    pilot pitch plank point pool port prow pulley quay raft rain reach reef rigging ripple river
    roll rope rudder sail salt sand schooner seal shallow shell shingle shoal shore signal skiff
    slack sloop sound south spar spray spring squall star stern storm strait strand stream surf
    surge swell tack tar tern tide tiller topsail torrent trade trench tug undertow vessel voyage
    wake watch water wave west whale wharf windward yard yawl zephyr
    """
)
FIRST = _words(
    """
    Ada Bao Carmen Dirk Edda Farid Greta Hana Ivo Jun Kaja Lars Mina Noor Odile Per Quy Rosa Sami
    Tove Uri Vera Wen Ximena Yara Zoe
    """
)
LAST = _words(
    """
    Abara Brandt Castro Dekker Egger Fofana Grieg Hansen Ito Jensen Kaya Lindqvist Moreau Novak
    Okafor Petrov Quispe Rossi Santos Tamm Ueda Virtanen Weber Xu Yilmaz Zhang
    """
)
COUNTRIES = [
    *["United States"] * 12,
    "Norway",
    "Chile",
    "Ghana",
    "Japan",
    "Portugal",
    "Viet Nam",
    "Canada",
    "Fiji",
]
CITIES = _words("Bergen Lisbon Accra Osaka Halifax Suva Valdivia Haiphong Tallinn Cork")
PAYMENTS = ["Creditcard", "Money order", "Cash", "Personal Check"]
SHIPPING = [
    "Will ship internationally",
    "Will ship only within country",
    "Buyer pays fixed shipping charges",
    "See description for charges",
]
MARKS = ("bold", "keyword", "emph")


class Pieces:
    """Texts in the mark-up of the schema, made once and used again and again."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.phrases = self.many(2000, self._phrase)
        self.texts = self.many(2000, self._text)
        self.lists = self.many(400, lambda: self._list(0.0))
        self.deep_lists = self.many(200, lambda: self._list(1.0))
        self.descriptions = self.many(2000, self._description)
        self.names = self.many(1500, lambda: f"{random.choice(FIRST)} {random.choice(LAST)}")

    def many(self, count: int, make: Callable[[], str]) -> list[str]:
        return [make() for _ in range(count)]

    def words(self, low: int, high: int) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(low, high)))

    def _phrase(self) -> str:
        return self.words(1, 4)

    def _marked(self) -> str:
        """A word or two inside a mark; now and then one mark inside another."""
        mark = self.random.choice(MARKS)
        inner = self.words(1, 4)
        if self.random.random() < 0.2:
            inner = f"<keyword> {inner} </keyword>"
        return f"<{mark}> {inner} </{mark}>"

    def _text(self) -> str:
        runs = [self.words(5, 40) for _ in range(self.random.randint(1, 4))]
        marked = [self._marked() for _ in runs]
        body = " ".join(part for pair in zip(runs, marked, strict=True) for part in pair)
        return f"<text>\n{body} {self.words(1, 12)}\n</text>\n"

    def _list(self, deep: float) -> str:
        """A list of texts, some of which are lists again: `deep` is how likely that is."""
        items = []
        for _ in range(self.random.randint(1, 4)):
            inner = self._list(0.0) if self.random.random() < deep else self.random.choice(self.texts)
            items.append(f"<listitem>\n{inner}</listitem>\n")
        return f"<parlist>\n{''.join(items)}</parlist>\n"

    def _description(self) -> str:
        source = self.random.choices([self.texts, self.lists, self.deep_lists], [14, 5, 1])[0]
        return f"<description>\n{self.random.choice(source)}</description>\n"
