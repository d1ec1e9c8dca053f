<log>{ for tumbling window $w in /log/e start when true() return $w }</log>
