#include "cart.h"

namespace acme {
namespace shop {

template <typename T>
Cart<T>& Cart<T>::add(const T& item) {
  struct Local { int x; };
  return *this;
}

Cart::~Cart() = default;

Cart::operator std::string() const { return "cart"; }

namespace {
int hidden(int a) { return a; }
}

bool operator<(const Cart& a, const Cart& b) {
  return a.size() < b.size();
}

}  // namespace shop
}  // namespace acme

extern "C" {
// Frees a cart.
void cart_free(void* cart);
}

TEST(CartTest, AddsItems) {
  EXPECT_EQ(1, 1);
}
