1 (: and (: so on :)
