/* A list of prices. */
#include <stdlib.h>
#include "list.h"

#define LIST_MAX 64
#define SWAP(a, b) \
  do { int t = (a); (a) = (b); (b) = t; } while (0)

/** One price and what follows it. */
typedef struct node {
  int price;
  struct node *next;
} Node;

struct list;
typedef int (*compare_fn)(const Node *, const Node *);

enum order { ASCENDING, DESCENDING };

struct range {
  int low, high;
  union bound { int i; float f; } edge;
} whole = { 0, 100 };

static int counter;
extern void list_free(struct list *l);
static Node *node_new(int price);

/* Sorts in place. */
void list_sort(struct list *l, compare_fn by)
{
  struct swap { int a; } s;
  qsort(l, 1, sizeof s, by);
}

static int
node_cost(price, count)
  int price, count;
{
  return price * count;
}

#ifdef DEBUG
void (*hook(int level))(int) { return 0; }
#else
int no_hook(void) { return 1; }
#endif
