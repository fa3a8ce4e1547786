library acme.shop;

import 'item.dart';

/// A cart.
@immutable
class Cart<T extends Item> extends Store with Logging implements Closeable {
  static const max = 10;
  final String owner;
  int _count = 0;

  /// For one owner.
  Cart(this.owner) : super(owner) {
    open();
  }

  const Cart.empty() : owner = '';

  factory Cart.fromJson(Map<String, dynamic> json) {
    return Cart(json['owner']);
  }

  /// Adds an item.
  @override
  Future<void> add(T item, [int count = 1]) async {
    int twice(int n) => n * 2;
    _count += twice(count);
  }

  int get count => _count;
  set count(int value) {
    _count = value;
  }

  bool operator ==(Object other) => other is Cart;

  void close();
}

abstract class Shape {
  double area();
}

mixin Logging on Store {
  void log(String line) => print(line);
}

extension Shouting on String {
  String shout() => toUpperCase();
}

extension on int {
  int get cents => this * 100;
}

enum Size {
  small, large;

  String get label => name;
}

typedef Handler = void Function(String line);

void main() {
  print(Cart('me'));
}
