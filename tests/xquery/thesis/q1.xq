<query1b>
  { for $b in /site/people/person
    where $b/person_id = "person0"
    return
      <result>
        {$b/name}
      </result> }
</query1b>
