from tests.cli.support import *
def test_a(warm):
    print(warm.fern("card", SURFACE))
    print(warm.fern("ls", SURFACE))
    print(warm.error("card","nope",code=6))
    warm.lock()
    print(state(warm.vault)["edges"][:1])
