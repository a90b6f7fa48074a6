live()
