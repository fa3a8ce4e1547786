# The shop's machines.
terraform {
  required_version = ">= 1.9"
}

variable "region" { default = "eu-central-1" }

locals {
  name = "shop"
}

# Serves the page.
resource "aws_instance" "web" {
  ami = data.aws_ami.linux.id

  root_block_device {
    volume_size = 20
  }

  provisioner "local-exec" {
    command = <<-EOT
      resource "not" "one" {}
    EOT
  }
}

data "aws_ami" "linux" {
  most_recent = true
}

module "network" {
  source = "./network"
}

output "address" {
  value = aws_instance.web.public_ip
}
