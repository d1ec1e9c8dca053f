<results>
  { for $x in $ROOT/root/a return
    <result>
      {$x/b}
      {for $w in $x/c/d|count 4 step 2| return
        <winavg>
          {fn:avg($w)}
        </winavg>}
      </result> }
</results>
