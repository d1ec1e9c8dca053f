if $ROOT/a then 1 else 2
