; What is a node in Protocol Buffers.

; ---- Package

; package acme.shop;
(package (full_ident) @name) @package

; ---- Types

[
  (message (message_name) @name (message_body) @body)
  (enum (enum_name) @name (enum_body) @body)
  (service (service_name) @name "{" @body)
] @type

; ---- Functions

; rpc Add(Item) returns (Line);
(rpc (rpc_name) @name) @method

; ---- Comments

(comment) @doc
