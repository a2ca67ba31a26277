/* A host for models of LTSmin's interface: counts states, steps, and pairs of a state
   and a label that is 0, breadth first; and holds each model to its dependency matrices,
   since engines rely on them: what a group or label is not said to read is changed, and
   nothing else may. */
#include <stdio.h>
#include <stdlib.h>
#include <ltsmin/pins.h>
#include <ltsmin/pins-util.h>

extern void pins_model_init(model_t model);

static int length, groups, labels, *initial, named;
static next_method_grey_t next;
static get_label_method_t label;
static matrix_t *combined, *reads, *may, *must, *label_reads;
enum { KINDS = 8 };
static data_format_t formats[KINDS];
static int kinds;

static void fail(const char *what, int row, int col) {
  fprintf(stderr, "%s: row %d, variable %d\n", what, row, col);
  exit(2);
}
void ltsmin_abort(int code) { exit(100 + code); }

struct lts_type_s { int dummy; };
static struct lts_type_s the_type;
lts_type_t lts_type_create(void) { return &the_type; }
int lts_type_put_type(lts_type_t t, const char *name, data_format_t f, int *is_new) {
  (void)t, (void)name, (void)is_new;
  formats[kinds] = f;
  return kinds++;
}
static void typed(int typeno, data_format_t f) { if (typeno >= kinds || formats[typeno] != f) fail("wrong type", typeno, 0); }
void lts_type_set_state_length(lts_type_t t, int n) { (void)t, length = n; }
void lts_type_set_state_name(lts_type_t t, int i, const char *name) { (void)t; if (i >= length || !*name) fail("no such slot", i, 0); named++; }
void lts_type_set_state_typeno(lts_type_t t, int i, int typeno) { (void)t, (void)i; typed(typeno, LTStypeDirect); }
void lts_type_set_edge_label_count(lts_type_t t, int n) { (void)t; if (n != 1) fail("edge labels", n, 0); }
void lts_type_set_edge_label_name(lts_type_t t, int i, const char *name) { (void)t, (void)i, (void)name; }
void lts_type_set_edge_label_type(lts_type_t t, int i, const char *name) { (void)t, (void)i, (void)name; }
void lts_type_set_edge_label_typeno(lts_type_t t, int i, int typeno) { (void)t, (void)i; typed(typeno, LTStypeEnum); }
void lts_type_set_state_label_count(lts_type_t t, int n) { (void)t, labels = n; }
void lts_type_set_state_label_name(lts_type_t t, int i, const char *name) { (void)t; if (i >= labels || !*name) fail("no such label", i, 0); }
void lts_type_set_state_label_typeno(lts_type_t t, int i, int typeno) { (void)t, (void)i; typed(typeno, LTStypeBool); }
void lts_type_validate(lts_type_t t) { (void)t; if (named != length) fail("slots without a name", named, length); }
void dm_create(matrix_t *m, const int rows, const int cols) { *m = (matrix_t){rows, cols, calloc((size_t)rows * cols + 1, 1)}; }
void dm_set(matrix_t *m, const int row, const int col) {
  if (row >= m->rows || col >= m->cols) fail("outside the matrix", row, col);
  m->set[row * m->cols + col] = 1;
}
static int is(const matrix_t *m, int row, int col) { return m->set[row * m->cols + col]; }
void GBsetLTStype(model_t m, lts_type_t t) { (void)m, (void)t; }
void GBsetInitialState(model_t m, int *state) { (void)m, initial = state; }
void GBsetNextStateLong(model_t m, next_method_grey_t f) { (void)m, next = f; }
void GBsetStateLabelLong(model_t m, get_label_method_t f) { (void)m, label = f; }
void GBsetDMInfo(model_t m, matrix_t *d) { (void)m, combined = d, groups = d->rows; }
void GBsetDMInfoRead(model_t m, matrix_t *d) { (void)m, reads = d; }
void GBsetDMInfoMayWrite(model_t m, matrix_t *d) { (void)m, may = d; }
void GBsetDMInfoMustWrite(model_t m, matrix_t *d) { (void)m, must = d; }
void GBsetStateLabelInfo(model_t m, matrix_t *d) { (void)m, label_reads = d; }
static int actions;
static char *names[1 << 16];
void pins_chunk_put_at(model_t m, int type_no, const chunk c, int index) {
  (void)m;
  typed(type_no, LTStypeEnum);
  if (index != actions || index >= 1 << 16) fail("action without its name", index, 0);
  for (int a = 0; a < actions; a++) if (!strcmp(names[a], c.data)) fail("two actions of one name", a, index);
  names[actions++] = c.data;
}

/* The states, in the order in which they are found, and a table of their numbers. */
static int *states;
static long count, room, *slots, size;

static unsigned long hash(const int *s) {
  unsigned long h = 1469598103934665603UL;
  for (int i = 0; i < length; i++) h = (h ^ (unsigned)s[i]) * 1099511628211UL, h ^= h >> 29;
  return h;
}
static void add(const int *s) {
  if (2 * (count + 1) > size) {
    size = size ? 2 * size : 1024;
    slots = realloc(slots, sizeof *slots * size);
    for (long i = 0; i < size; i++) slots[i] = -1;
    for (long k = 0; k < count; k++) {
      long i = hash(states + k * length) & (size - 1);
      while (slots[i] >= 0) i = (i + 1) & (size - 1);
      slots[i] = k;
    }
  }
  long i = hash(s) & (size - 1);
  for (; slots[i] >= 0; i = (i + 1) & (size - 1))
    if (!memcmp(states + slots[i] * length, s, sizeof(int) * length)) return;
  if (count == room) states = realloc(states, sizeof(int) * (length + 1) * (room = room ? 2 * room : 1024));
  memcpy(states + count * length, s, sizeof(int) * length);
  slots[i] = count++;
}

/* What a group made of a state. */
typedef struct { int fired, *d, *same, *of; } step;
static void found(void *context, transition_info_t *info, int *d, int *same) {
  step *to = context;
  if (info->labels[0] < 0 || info->labels[0] >= actions || info->group != to->of[0]) fail("wrong label", info->group, 0);
  to->fired++;
  memcpy(to->d, d, sizeof(int) * length);
  memcpy(to->same, same, sizeof(int) * length);
}
static step make(int group, int *s) {
  static int *memory[2], turn, g;
  turn = !turn;
  if (!memory[turn]) memory[turn] = malloc(sizeof(int) * 2 * (length + 1));
  step made = {0, memory[turn], memory[turn] + length, &g};
  g = group;
  if (next(NULL, group, s, found, &made) != made.fired || made.fired > 1) fail("steps miscounted", group, 0);
  return made;
}

static void hold(int *s, int *t) {
  for (int g = 0; g < groups; g++) {
    for (int v = 0; v < length; v++) {
      step a = make(g, s);
      if (a.fired && !is(may, g, v) && (!a.same[v] || a.d[v] != s[v])) fail("written, not in may", g, v);
      if (a.fired && is(must, g, v) && a.same[v]) fail("not written, but in must", g, v);
      if (is(combined, g, v) != (is(reads, g, v) || is(may, g, v))) fail("combined is not both", g, v);
      if (is(reads, g, v)) continue;
      memcpy(t, s, sizeof(int) * length);
      t[v] = s[v] ? 0 : 1;
      step b = make(g, t);
      if (a.fired != b.fired) fail("read, not in reads", g, v);
      for (int w = 0; a.fired && w < length; w++)
        if (a.same[w] != b.same[w] || (!a.same[w] && a.d[w] != b.d[w])) fail("read, not in reads", g, v);
    }
  }
  for (int l = 0; l < labels; l++)
    for (int v = 0; v < length; v++) {
      if (is(label_reads, l, v)) continue;
      memcpy(t, s, sizeof(int) * length);
      t[v] = s[v] ? 0 : 1;
      if (label(NULL, l, s) != label(NULL, l, t)) fail("label reads", l, v);
    }
}

int main(void) {
  enum { HELD = 300 };
  long steps = 0, broken = 0;
  pins_model_init(NULL);
  int *s = malloc(sizeof(int) * (length + 1)), *t = malloc(sizeof(int) * (length + 1));
  add(initial);
  for (long k = 0; k < count; k++) {
    memcpy(s, states + k * length, sizeof(int) * length);
    if (k < HELD) hold(s, t);
    for (int l = 0; l < labels; l++) broken += !label(NULL, l, s);
    for (int g = 0; g < groups; g++) {
      step made = make(g, s);
      if (made.fired) steps++, add(made.d);
    }
  }
  printf("%ld states, %ld steps, %ld broken\n", count, steps, broken);
  return 0;
}
