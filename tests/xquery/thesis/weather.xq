for $t in /weather/temp
for $h in /weather/hum
where $t constrained left outer bestmatch join $h on
  (abs($t/@t - $h/@t)) min 10,
  (abs($t/@x - $h/@x)) min 100,
  (abs($t/@y - $h/@y)) min 100
return <pair temp="{$t/@v}" hum="{$h/@v}"/>
