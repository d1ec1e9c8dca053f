<query20>
  { for $p in /site/people/person
    where fn:empty($p/person_income)
    return
      $p }
</query20>
