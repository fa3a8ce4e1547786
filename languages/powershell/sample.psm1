#requires -Version 5
Set-StrictMode -Version Latest

enum Color { Red; Green = 2 }

<#
.SYNOPSIS
    Adds an item.
#>
function Add-Item {
    [CmdletBinding()]
    param([Parameter(Mandatory)] [string] $Name)
    process {
        function Test-Name { $Name.Length -gt 0 }
        $script:Items += $Name
    }
}

filter Where-Open { if ($_.Open) { $_ } }

# What is bought.
class Cart : Base {
    [string[]] $Items

    Cart([string[]] $items) {
        $this.Items = $items
    }

    # The number of items.
    [int] Count() { return $this.Items.Count }

    static [Cart] Empty() { return [Cart]::new(@()) }
}

Describe 'Add-Item' {
    It 'adds' {
        Add-Item -Name 'a' | Should -Be 1
    }
}

Export-ModuleMember -Function Add-Item
