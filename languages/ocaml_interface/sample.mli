(** Carts. *)

(** What is bought. *)
type t = private { items : string list; open_ : bool }

(** Adds an item. *)
val add : string -> t -> t

val ( +: ) : string -> t -> t

module Price : sig
  val total : t -> float
end

module type Store = sig
  val save : t -> unit
end

module Make (S : Store) : Store

exception Full

class counter : object
  method count : int
end
