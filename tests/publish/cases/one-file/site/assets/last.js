last()
