"""Running: physical plans on Spark. The only home of pyspark."""
