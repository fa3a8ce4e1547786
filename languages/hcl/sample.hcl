job "shop" {
  datacenters = ["graz"]

  group "web" {
    task "server" {
      driver = "docker"
    }
  }
}

// Not in a block.
region = "eu"
