bundle()
