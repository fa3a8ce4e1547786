#pragma once
#include <string>

namespace acme::shop {

class Item;

/// A cart of things.
template <typename T>
class CART_API Cart final : public Base<T> {
 public:
  using value_type = T;

  explicit Cart(int size) : size_(size) {}
  virtual ~Cart();

  // Adds an item.
  Cart& add(const T& item);
  template <class U>
  U as() const;
  int size() const { return size_; }
  T& operator[](int index);
  operator bool() const { return size_ > 0; }

  enum class Kind { Small, Large };
  struct Line {
    int count;
    void clear();
  };

 private:
  int size_ = 0;
};

}  // namespace acme::shop
