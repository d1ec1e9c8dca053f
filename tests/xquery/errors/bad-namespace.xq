<a xmlns:x="" xmlns:xml="u" xmlns:b="{1}">{ attribute xmlns { 1 } }</a>
