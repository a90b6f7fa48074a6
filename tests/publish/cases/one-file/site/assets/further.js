further()
