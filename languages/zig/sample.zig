const std = @import("std");

/// What is bought.
pub const Cart = struct {
    lines: std.ArrayList(Line),
    open: bool = true,

    const Self = @This();

    /// One item of it.
    pub const Line = struct { item: u32, count: u8 };

    pub fn add(self: *Self, line: Line) !void {
        try self.lines.append(line);
    }

    fn total(self: Self) u64 {
        var sum: u64 = 0;
        return sum;
    }
};

const Size = enum(u8) { small, large };
const Full = error{ Full, Closed };

const Found = union(enum) {
    cart: Cart,
    none,
};

/// A list of anything.
pub fn List(comptime T: type) type {
    return struct {
        items: []T,

        pub fn first(self: @This()) ?T {
            return self.items[0];
        }
    };
}

extern "c" fn puts(text: [*:0]const u8) c_int;

pub inline fn half(n: u32) u32 {
    return n / 2;
}

test "a cart is empty" {
    try std.testing.expect(true);
}

test Cart {
    _ = Cart;
}
