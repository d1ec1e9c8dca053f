for $p1 in /parts/part1
for $p2 in /parts/part2
where $p1 bestmatch join $p2 on ($p1/cost + $p2/cost) min, ($p1/weight + $p2/weight) min
return <composite first="{$p1/@no}" second="{$p2/@no}"/>
