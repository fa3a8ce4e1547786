"""C and C++: declarators, members defined elsewhere, headers of either language."""

import pytest

from feeder.nodes import Member
from parse.outlines import GRAMMARS, nodes_of, only, outline, rows, sample

C = sample("sample.c")
HEADER = sample("header.h")
CPP = sample("sample.cpp")


@pytest.mark.parametrize(
    ("symbol", "signature"),
    [
        ("SWAP", "#define SWAP(a, b)"),
        ("Node", "typedef struct node"),
        ("compare_fn", "typedef int (*compare_fn)(const Node *, const Node *)"),
        ("range", "struct range"),
        ("list_sort", "void list_sort(struct list *l, compare_fn by)"),
        ("hook", "void (*hook(int level))(int)"),
    ],
)
def test_c_signatures(symbol: str, signature: str) -> None:
    assert only(C, symbol).signature == signature


def test_knr_parameters_are_in_the_signature() -> None:
    assert only(C, "node_cost").signature == "static int node_cost(price, count) int price, count"


def test_c_struct_has_its_variable_but_not_its_nested_types() -> None:
    assert only(C, "range").text == "struct range {\n  int low, high;\n} whole = { 0, 100 };"


def test_cpp_header_and_its_class() -> None:
    assert {node.language for node in HEADER} == {"cpp"}


def test_cpp_class_has_its_template_line_but_not_its_methods() -> None:
    cart = only(HEADER, "acme.shop.Cart")
    assert cart.signature == "template <typename T> class CART_API Cart final : public Base<T>"
    assert cart.text == (
        "/// A cart of things.\ntemplate <typename T>\n"
        "class CART_API Cart final : public Base<T> {\n"
        " public:\n private:\n  int size_ = 0;\n};"
    )


@pytest.mark.parametrize(
    ("symbol", "signature"),
    [
        ("Cart.Cart", "explicit Cart(int size)"),
        ("Cart.as", "template <class U> U as() const"),
        ("Cart.size", "int size() const"),
        ("Cart.Kind", "enum class Kind"),
    ],
)
def test_cpp_signatures(symbol: str, signature: str) -> None:
    assert only(HEADER, f"acme.shop.{symbol}").signature == signature


def test_template_line_belongs_to_the_member() -> None:
    add = only(CPP, "acme.shop.Cart.add")
    assert add.signature == "template <typename T> Cart<T>& Cart<T>::add(const T& item)"
    assert add.text.startswith("template <typename T>\nCart<T>& Cart<T>::add")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("#include <stdio.h>\nint main(void);\n", "c"),
        ("/* see Foo::bar, a class of its own */\nstruct s { int class; };\n", "c"),
        ("namespace a {\n}\n", "cpp"),
        ("class A;\n", "cpp"),
        ("  template <typename T>\n  void f(T);\n", "cpp"),
        ("void f(const std::string& s);\n", "cpp"),
        ("#include <vector>\n", "cpp"),
        ("enum class Mode\n{\n    Plain\n};\n", "cpp"),
        ("@interface A : B\n- (void)f;\n@end\n", "objc"),
        ("#import <Foundation/Foundation.h>\nvoid f(NSString *a);\n", "objc"),
        ("@protocol A\n@optional\n- (void)f;\n@end // A\n", "objc"),
        ("typedef NS_ENUM(NSInteger, A) {\n    AOne,\n};\n", "objc"),
        ("#ifdef __OBJC__\n@class NSWindow;\n@protocol A;\n#endif\nvoid f(void);\n", "c"),
        ("#ifdef __OBJC__\n#import <A.h>\n@class B;\n#endif\nvoid f(void);\n", "c"),
        ("/*\n@end\n*/\nvoid f(void);\n", "c"),
        ("/*\n@interface s\n*/\nvoid f(void);\n", "c"),
        ("#ifdef __OBJC__\n@class NSWindow;\n#endif\nnamespace a {\n}\n", "cpp"),
        ("/*\n@class s\n@interface s\n@endcode */\nstruct s { int a; };\n", "c"),
    ],
)
def test_language_of_a_header_depends_on_its_content(text: str, language: str) -> None:
    assert GRAMMARS.detect_language("a.h", text.encode()) == (language, "code")


def test_export_macro_does_not_hide_a_class() -> None:
    nodes = nodes_of(
        "a.hpp",
        """
        ACME_BEGIN_NAMESPACE

        class ACME_EXPORT Cart : public Base {
          ACME_API void add(int item);
        };
        """,
    )
    assert outline(nodes) == rows("""
        chunk   -         1:1
        class   Cart      3:5
        method  Cart.add  4:4
    """)
    assert only(nodes, "Cart").text == "class ACME_EXPORT Cart : public Base {\n};"


def test_line_with_only_a_macro_belongs_to_the_declaration_below() -> None:
    nodes = nodes_of(
        "thing.hpp",
        """
        /** A thing. */
        UCLASS(Abstract, meta = (Name = "Thing"))
        class GAME_API AThing : public AActor {
          GENERATED_BODY()
          Q_PROPERTY(int count READ count)

        public:
          // Uses an item.
          UFUNCTION(Server, Reliable, meta = (Ref = "X"))
          bool TryUse(const Item& item,
                      int count = 1);

          UPROPERTY()
          TArray<FString> Names;

          JSON_HEDLEY_NON_NULL(3)
          bool parse(int format, int* events) {
            LOG_CALL(format)
            return format > 0;
          }

        signals:
          void changed(int count);
        };
        """,
    )
    assert outline(nodes) == rows("""
        class   AThing          1:24
        method  AThing.TryUse   8:11
        method  AThing.parse    16:20
        method  AThing.changed  23:23
    """)
    assert only(nodes, "AThing.TryUse").signature == "bool TryUse(const Item& item, int count = 1)"
    assert only(nodes, "AThing").members == (Member("Names", 14),)


@pytest.mark.parametrize("path", ["typedefs.c", "typedefs.cpp"])
def test_typedefs_of_functions_and_pointers_to_functions(path: str) -> None:
    nodes = nodes_of(
        path,
        """
        typedef int (event_cb)(void *data);
        typedef void *(*malloc_cb)(size_t size);
        typedef char *(name_cb)(int index);
        typedef void (*close_cb)(int);
        """,
    )
    assert outline(nodes) == rows("""
        class  event_cb   1:1
        class  malloc_cb  2:2
        class  name_cb    3:3
        class  close_cb   4:4
    """)


@pytest.mark.parametrize("path", ["auxlib.c", "auxlib.cpp"])
def test_macro_before_a_type_is_not_taken_for_the_type(path: str) -> None:
    nodes = nodes_of(
        path,
        """
        LUALIB_API lua_Integer luaL_len (lua_State *L, int idx) {
          return 1;
        }
        """,
    )
    assert outline(nodes) == ["method luaL_len 1:3"]
    assert nodes[0].signature == "LUALIB_API lua_Integer luaL_len (lua_State *L, int idx)"


def test_macros_before_a_template_and_in_a_condition() -> None:
    nodes = nodes_of(
        "args.hpp",
        """
        FMT_EXPORT template <typename Context> class store {
         public:
          template <typename T> void push(const T& arg) {
            if FMT_CONSTEXPR20 (need_copy<T>::value) {
              add(arg);
            } else if FMT_CONSTEXPR20 (is_text<T>::value) {
              add(text(arg));
            }
          }

          void clear() { data_.clear(); }
        };
        """,
    )
    assert outline(nodes) == rows("""
        class   store        1:12
        method  store.push   3:9
        method  store.clear  11:11
    """)


def test_last_line_of_a_macro_definition_belongs_to_it() -> None:
    nodes = nodes_of(
        "check.hpp",
        """
        #include <vector>
        #define CHECK_OK(expression) \\
          ASSERT_THAT(expression, is(ok()))

        // A seed.
        inline int seed() { return 301; }
        """,
    )
    assert outline(nodes) == rows("""
        chunk   -         1:1
        method  CHECK_OK  2:3
        method  seed      5:6
    """)


def test_unbalanced_conditionals_are_parsed_with_their_first_branches() -> None:
    nodes = nodes_of(
        "a.c",
        """
        int open_list(void) {
        #ifdef DEBUG
          if (1) {
        #else
          if (2) {
        #endif
            return 1;
          }
          return 0;
        }

        int close_list(void) { return 0; }
        """,
    )
    assert outline(nodes) == rows("""
        method  open_list   1:10
        method  close_list  12:12
    """)
    assert "if (2) {" in only(nodes, "open_list").text


def test_macro_above_a_variable_keeps_the_calls_in_its_arguments() -> None:
    nodes = nodes_of(
        "save.cpp",
        """
        Status save(Db* db) {
          CHECK_OK(verify(db))
          Status status = finish(db);
          return status;
        }
        """,
    )
    assert {"CHECK_OK(:1", "verify(:1", "finish(:2"} <= {*nodes[0].relations.split()}


def test_property_of_qt_is_no_part_of_the_declaration_below() -> None:
    nodes = nodes_of(
        "foo.hpp",
        """
        class Foo {
          Q_PROPERTY(Bar bar READ bar)
          Q_INVOKABLE
          Bar bar() const;
        };
        """,
    )
    assert outline(nodes) == ["class Foo 1:5", "method Foo.bar 3:4"]


def test_macros_behind_parameters_and_pointers() -> None:
    nodes = nodes_of(
        "shelf.h",
        """
        namespace shop {
        class Shelf {
         public:
          Iterator begin() SHOP_LIFETIME_BOUND { return first_; }
          Iterator end() const noexcept SHOP_LIFETIME_BOUND {
            return last_;
          }
          void Lock() SHOP_LOCK_FUNCTION();
          Item* SHOP_NULLABLE find(Arena* SHOP_NONNULL arena);
          static Item* SHOP_NONNULL Get(Key* SHOP_NONNULL key) { return nullptr; }
          void push(Item&& item SHOP_CAPTURED) { items_.push(item); }
        };

        void Drain(Shelf* shelf)
            SHOP_LOCKS_EXCLUDED(mutex) {
          shelf->clear();
        }

        Item* SHOP_NULLABLE Shelf::find(Arena* SHOP_NONNULL arena) {
          return nullptr;
        }
        }
        """,
    )
    assert outline(nodes)[1:] == rows("""
        class   shop.Shelf        2:12
        method  shop.Shelf.begin  4:4
        method  shop.Shelf.end    5:7
        method  shop.Shelf.Lock   8:8
        method  shop.Shelf.find   9:9
        method  shop.Shelf.Get    10:10
        method  shop.Shelf.push   11:11
        method  shop.Drain        14:17
        method  shop.Shelf.find   19:21
    """)
    drain = only(nodes, "shop.Drain")
    assert drain.signature == "void Drain(Shelf* shelf) SHOP_LOCKS_EXCLUDED(mutex)"


def test_macro_between_other_words_of_a_declaration() -> None:
    nodes = nodes_of(
        "read.h",
        """
        SHOP_EXPORT static const uint8_t*
        ReadTag(const uint8_t* buffer);

        static constexpr SHOP_INLINE void check() {
          verify();
        }

        [[noreturn]] SHOP_EXPORT void Abort() noexcept;

        template <template <typename> class Atom>
        std::vector<Holder<Atom>> grow(int count);
        """,
    )
    assert outline(nodes) == rows("""
        method  ReadTag  1:2
        method  check    4:6
        method  Abort    8:8
        method  grow     10:11
    """)


@pytest.mark.parametrize("path", ["zip.c", "zip.cpp"])
def test_macro_definition_with_comments_ends_with_its_last_line(path: str) -> None:
    nodes = nodes_of(
        path,
        """
        #define DECODE(ptr, size) do {           \\
            (size) = 0; /* bad encoding, \\
                           checked below */      \\
            if ((ptr)[0] == 7) {                 \\
                (size) = 1;                      \\
            } /* end */ else {                   \\
                (size) = 2;                      \\
            }                                    \\
        } while (0)

        /* Stores a length. */
        int store(unsigned char *p, unsigned int size) {
            return size;
        }
        """,
    )
    assert outline(nodes) == rows("""
        method  DECODE  1:9
        method  store   11:14
    """)


@pytest.mark.parametrize("path", ["winapi.c"])
def test_calling_convention_of_a_function_type(path: str) -> None:
    nodes = nodes_of(
        path,
        """
        typedef BOOL (WINAPI *sCompare)(_In_ HANDLE, _In_ HANDLE);
        typedef VOID (NTAPI *PIO_ROUTINE)
            (void *context);
        """,
    )
    assert outline(nodes) == rows("""
        class  sCompare     1:1
        class  PIO_ROUTINE  2:3
    """)


@pytest.mark.parametrize("path", ["slow.c", "slow.cpp"])
def test_fields_behind_several_pointers_are_members(path: str) -> None:
    (node,) = nodes_of(
        path,
        """
        struct entry {
          char **argv;
          void *table[];
          char *(*open)(int level);
          int first, ***last;
          char names[2][3];
        };
        """,
    )
    assert node.members == (
        Member("argv", 2),
        Member("table", 3),
        Member("open", 4),
        Member("first", 5),
        Member("last", 5),
        Member("names", 6),
    )


def test_references_are_members() -> None:
    (node,) = nodes_of(
        "guard.cpp",
        """
        struct Guard {
          Node& self;
          std::string const& name;
        };
        """,
    )
    assert node.members == (Member("self", 2), Member("name", 3))


def test_name_of_a_specialization_is_without_its_arguments() -> None:
    nodes = nodes_of(
        "convert.hpp",
        """
        template <typename Output>
        struct IsConvertible<
            std::void_t<decltype(parse(Piece{}, std::declval<Output&>())), typename Output::first>,
            Output> : std::true_type {
          bool get() const { return true; }
        };

        template <class T>
        class Format<T*, typename std::enable_if<0 < sizeof(Value<T>)>::type> {
          bool operator<(const Format& other) const { return less(other); }
        };
        """,
    )
    assert outline(nodes) == rows("""
        class   IsConvertible      1:6
        method  IsConvertible.get  5:5
        class   Format             8:11
        method  Format.operator<   10:10
    """)


def test_call_behind_a_condition_is_no_attribute() -> None:
    [node] = nodes_of(
        "take.cpp",
        """
        int take(int a) {
          if (old(a)) LOG_DEPRECATED("old");
          while (busy(a))
              UNLOCK_FORMAT(a);
          get(a) & FLAG_LOCKED(a);
          if (late(a)) TAKE_SNAPSHOT(a);
          if (bad(a))
              FREE_BLOCK(a);
          else if (odd(a)) PRINT_INFORMATION(a);
          if (any(a)) SHOP_FOREACH(x, list) { go(x); }
          return first(a) &&
              IS_LOCKED(a);
        }
        """,
    )
    names = {relation.partition("(")[0] for relation in node.relations.split()}
    assert names >= {
        "LOG_DEPRECATED",
        "UNLOCK_FORMAT",
        "FLAG_LOCKED",
        "TAKE_SNAPSHOT",
        "FREE_BLOCK",
        "PRINT_INFORMATION",
        "SHOP_FOREACH",
        "IS_LOCKED",
    }


def test_attributes_behind_a_declaration() -> None:
    nodes = nodes_of(
        "guard.h",
        """
        class Guard {
         public:
          ~Guard() SHOP_FINAL;
          void Lock() SHOP_EXCLUSIVE_LOCK_FUNCTION();
          bool TryLock()
              SHOP_EXCLUSIVE_TRYLOCK_FUNCTION(true);
          void Check() SHOP_REQUIRES(mu_);
          void AssertHeld() SHOP_ASSERT_EXCLUSIVE_LOCK();
          void Log(const char* format, ...) SHOP_PRINTF_FORMAT_ATTR(2, 3);
          Item&& take() && ABSL_ATTRIBUTE_LIFETIME_BOUND;
          Item& peek() const& SHOP_BOUND_TO_THIS;
          void Close() noexcept SHOP_ANYTHING(1) = 0;
        };
        """,
    )
    assert outline(nodes) == rows("""
        class   Guard             1:13
        method  Guard.~Guard      3:3
        method  Guard.Lock        4:4
        method  Guard.TryLock     5:6
        method  Guard.Check       7:7
        method  Guard.AssertHeld  8:8
        method  Guard.Log         9:9
        method  Guard.take        10:10
        method  Guard.peek        11:11
        method  Guard.Close       12:12
    """)


def test_class_ends_behind_a_macro_for_its_last_member() -> None:
    nodes = nodes_of(
        "message.hpp",
        """
        class Message final : public Base {
         public:
          int size() { return impl_.cached_size_; }

         private:
          struct Impl {
            inline explicit Impl(Arena* arena);
            Bits<1> bits_;
            bool is_set_;
            SHOP_DECLARE_MEMBER
          };
          union { Impl impl_; };
          friend struct ::Table;
        };

        inline constexpr int kNumber = 1004;
        SHOP_EXPORT extern Identifier<
            Set, Traits< Message >, 11, false>(identifier);

        inline bool Message::total() const {
          bool value = Check(impl_.bits_[0]);
          return value;
        }

        enum Kind {
          SHOP_SMALL,
          SHOP_LARGE
        };
        """,
    )
    assert [row for row in outline(nodes) if "chunk" not in row] == rows("""
        class   Message            1:14
        method  Message.size       3:3
        class   Message.Impl       6:11
        method  Message.Impl.Impl  7:7
        method  Message.total      20:23
        class   Kind               25:28
    """)
    assert only(nodes, "Kind").members == (Member("SHOP_SMALL", 26), Member("SHOP_LARGE", 27))


@pytest.mark.parametrize(
    ("declaration", "name"),
    [
        ("template <> struct Fixed<(4 < 8)>", "Fixed"),
        ("template <class T> struct Big<(sizeof(T) < 8), T>", "Big"),
    ],
)
def test_name_of_a_specialization_with_a_comparison_in_parentheses(
    declaration: str, name: str
) -> None:
    nodes = nodes_of("sizes.hpp", f"{declaration} {{ int get() {{ return 1; }} }};")
    assert [node.symbol for node in nodes] == [name, f"{name}.get"]
