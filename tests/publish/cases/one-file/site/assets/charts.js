charts("[{\"page\":\"runs/a.html\"},{\"page\":\"runs/gone.html\"},\"<\"]")
