share()
