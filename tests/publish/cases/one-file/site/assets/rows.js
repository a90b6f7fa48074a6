rows(["<b>"])
