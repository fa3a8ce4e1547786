(* What is bought. *)
open Base

let rate = 0.2

(** An item with its price. *)
type item = { name : string; price : float }

and cart = item list

type color = Red | Green of int

exception Full of string

(** Adds an item. *)
let add item cart =
  let full = List.length cart > 3 in
  if full then raise (Full item.name) else item :: cart

let rec even n = n = 0 || odd (n - 1)
and odd n = n <> 0 && even (n - 1)

let ( +: ) item cart = add item cart

let total = function
  | [] -> 0.
  | items -> List.fold_left (fun sum i -> sum +. i.price) 0. items

external size : cart -> int = "cart_size"

module type Store = sig
  type t

  val save : t -> cart -> unit
end

module Make (S : Store) = struct
  (* the last one *)
  let last = ref []

  let save store cart = S.save store cart
end

class counter =
  object (self)
    val mutable count = 0

    method add n = count <- count + n
  end

let%test "adds" = total [] = 0.

let () = print_endline "cart"
