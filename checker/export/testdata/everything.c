/* written by unknot */
/* 'every* )* /thing' / * of 1
   cc -O2 -fPIC -shared -o model.so model.c && pins2lts-mc model.so */
/* not written: 'FairSpec' is always answered */
/* not written: which states without steps are an intended end */
/* '* / nothing' holds if the invariant 'true' is violated */
#include <stdio.h>
#include <string.h>
#include <ltsmin/pins.h>
#include <ltsmin/pins-util.h>

typedef long long value;

extern void ltsmin_abort(int) __attribute__((noreturn));
char pins_plugin_name[] = "unknot";

static inline value in(value v, value values, const char *what) {
  if (v < 0 || v >= values) { fprintf(stderr, "%s leaves its range: %lld\n", what, v); ltsmin_abort(1); }
  return v;
}

/* up */
static int rule_0(const int *s, int *d, int *same) {
  value int_2 = s[0];
  value int_3 = s[1];
  value Seen = s[3];
  value v_VARIABLE = s[4];
  if (!(int_2 < 5)) return 0;
  int_2 = in((int_2 + 1), 9, "int"); same[0] = 0;
  int_3 = in((int_3 - int_2), 9, "int "); same[1] = 0;
  if ((v_VARIABLE != 0)) {
    v_VARIABLE = in((v_VARIABLE - 1), 3, "VARIABLE"); same[4] = 0;
  } else {
    v_VARIABLE = 2; same[4] = 0;
    Seen = 3; same[3] = 0;
  }
  d[0] = (int)int_2;
  d[1] = (int)int_3;
  d[3] = (int)Seen;
  d[4] = (int)v_VARIABLE;
  (void)s, (void)d, (void)same;
  return 1;
}

/* up */
static int rule_1(const int *s, int *d, int *same) {
  value int_2 = s[0];
  value int_3 = s[1];
  value v_VARIABLE = s[4];
  if (!((int_3 <= int_2) && !((int_2 == 8)) && ((int_2 < int_3) || (v_VARIABLE == ((int_2 < 4) ? 1 : v_VARIABLE))))) return 0;
  int_3 = in((((int_2 * int_3) < 9) ? (int_2 * int_3) : 0), 9, "int "); same[1] = 0;
  d[1] = (int)int_3;
  (void)s, (void)d, (void)same;
  return 1;
}

/* nothing */
static int rule_2(const int *s, int *d, int *same) {
  value v_0_0 = s[2];
  if (!1) return 0;
  if (0) {
  }
  v_0_0 = 0; same[2] = 0;
  d[2] = (int)v_0_0;
  (void)s, (void)d, (void)same;
  return 1;
}

/* * ) ( * 'end' */
static int rule_3(const int *s, int *d, int *same) {
  value int_2 = s[0];
  value int_3 = s[1];
  if (!(((int_2 + (-8)) == 0) ||
    (8 < int_2) ||
    (8 < int_3) ||
    0 ||
    (int_2 < int_3))) return 0;
  int_2 = 0; same[0] = 0;
  d[0] = (int)int_2;
  (void)s, (void)d, (void)same;
  return 1;
}

/* stop */
static int rule_4(const int *s, int *d, int *same) {
  if (!0) return 0;
  (void)s, (void)d, (void)same;
  return 1;
}

/* again */
static int rule_5(const int *s, int *d, int *same) {
  value int_2 = s[0];
  if (!(int_2 == 0)) return 0;
  int_2 = 1; same[0] = 0;
  d[0] = (int)int_2;
  (void)s, (void)d, (void)same;
  return 1;
}

/* invariant: Next */
static int invariant_0(const int *s) {
  const value int_2 = s[0];
  const value int_3 = s[1];
  (void)s;
  return ((int_2 + int_3) <= 13);
}

/* invariant: true */
static int invariant_1(const int *s) {
  (void)s;
  return 1;
}

enum { VARIABLES = 5, RULES = 6, INVARIANTS = 2 };

static int initial[] = {0, 8, 0, 0, 2, 0};
static const char *const variable_names[] = {"int_2", "int_3", "v_0_0", "Seen", "v_VARIABLE", 0};
static int actions[] = {0, 0, 1, 2, 3, 4, 0};
static const char *const action_names[] = {"up", "nothing", "* ) ( * 'end'", "stop", "again", 0};
static const char *const invariant_names[] = {"Next", "true", 0};

/* pairs of a row and a variable */
static const int reads[][2] = {{0,0}, {0,1}, {0,4}, {1,0}, {1,1}, {1,4}, {3,0}, {3,1}, {5,0}, {-1,-1}};

/* pairs of a row and a variable */
static const int may_write[][2] = {{0,0}, {0,1}, {0,3}, {0,4}, {1,1}, {2,2}, {3,0}, {5,0}, {-1,-1}};

/* pairs of a row and a variable */
static const int must_write[][2] = {{0,0}, {0,1}, {1,1}, {2,2}, {3,0}, {5,0}, {-1,-1}};

/* pairs of a row and a variable */
static const int label_reads[][2] = {{0,0}, {0,1}, {-1,-1}};

static int (*const rules[])(const int *, int *, int *) = {rule_0, rule_1, rule_2, rule_3, rule_4, rule_5, 0};
static int (*const invariants[])(const int *) = {invariant_0, invariant_1, 0};

static int next_state(model_t model, int group, int *source, TransitionCB found, void *context) {
  int d[VARIABLES + 1], same[VARIABLES + 1], label = actions[group];
  transition_info_t info = GB_TI(&label, group);
  memcpy(d, source, sizeof(int) * VARIABLES);
  for (int v = 0; v < VARIABLES; v++) same[v] = 1;
  if (!rules[group](source, d, same)) return 0;
  found(context, &info, d, same);
  (void)model;
  return 1;
}

static int state_label(model_t model, int label, int *state) {
  (void)model;
  return invariants[label](state);
}

static matrix_t *matrix(int rows, const int pairs[][2]) {
  static matrix_t all[5];
  static int used;
  matrix_t *m = &all[used++];
  dm_create(m, rows, VARIABLES);
  for (; (*pairs)[0] >= 0; pairs++) dm_set(m, (*pairs)[0], (*pairs)[1]);
  return m;
}

void pins_model_init(model_t model) {
  lts_type_t type = lts_type_create();
  int number = lts_type_put_type(type, "number", LTStypeDirect, NULL);
  int rule = lts_type_put_type(type, "rule", LTStypeEnum, NULL);
  int truth = lts_type_put_type(type, "truth", LTStypeBool, NULL);
  lts_type_set_state_length(type, VARIABLES);
  for (int v = 0; v < VARIABLES; v++) {
    lts_type_set_state_name(type, v, variable_names[v]);
    lts_type_set_state_typeno(type, v, number);
  }
  lts_type_set_edge_label_count(type, 1);
  lts_type_set_edge_label_name(type, 0, "rule");
  lts_type_set_edge_label_type(type, 0, "rule");
  lts_type_set_edge_label_typeno(type, 0, rule);
  lts_type_set_state_label_count(type, INVARIANTS);
  for (int i = 0; i < INVARIANTS; i++) {
    lts_type_set_state_label_name(type, i, invariant_names[i]);
    lts_type_set_state_label_typeno(type, i, truth);
  }
  lts_type_validate(type);
  GBsetLTStype(model, type);
  for (int a = 0; action_names[a]; a++) pins_chunk_put_at(model, rule, chunk_str(action_names[a]), a);
  GBsetInitialState(model, initial);
  GBsetNextStateLong(model, next_state);
  GBsetStateLabelLong(model, state_label);
  matrix_t *both = matrix(RULES, reads);
  for (int i = 0; may_write[i][0] >= 0; i++) dm_set(both, may_write[i][0], may_write[i][1]);
  GBsetDMInfo(model, both);
  GBsetDMInfoRead(model, matrix(RULES, reads));
  GBsetDMInfoMayWrite(model, matrix(RULES, may_write));
  GBsetDMInfoMustWrite(model, matrix(RULES, must_write));
  GBsetStateLabelInfo(model, matrix(INVARIANTS, label_reads));
}
