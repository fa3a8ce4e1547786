<html>
<?php namespace Acme\Web { ?>
<body>
<?php
    // Says hello.
    function hello($name) { ?>
        <b><?= $name ?></b>
<?php } ?>
</body>
<?php
}
namespace {
    function plain() { return 1; }
}
