<query17>
  { for $p in /site/people/person
    where fn:empty($p/homepage)
    return
      <person>
        {$p/name}
      </person> }
</query17>
