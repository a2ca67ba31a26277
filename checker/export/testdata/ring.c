/* written by unknot */
/* 41d2f743f8980c89d1f498425094b3ced4de6e7bc2611c7ceaf45f5a32804aed under bubble 2
   cc -O2 -fPIC -shared -o model.so model.c && pins2lts-mc model.so */
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

/* packet for 0: inject 1 -> 1->2 vc0 */
static int rule_0(const int *s, int *d, int *same) {
  value v_1_2_vc0_0 = s[2];
  if (!(v_1_2_vc0_0 == 0)) return 0;
  v_1_2_vc0_0 = 1; same[2] = 0;
  d[2] = (int)v_1_2_vc0_0;
  (void)s, (void)d, (void)same;
  return 1;
}

/* packet for 0: inject 2 -> 2->0 vc0 */
static int rule_1(const int *s, int *d, int *same) {
  value v_2_0_vc0_0 = s[4];
  if (!(v_2_0_vc0_0 == 0)) return 0;
  v_2_0_vc0_0 = 1; same[4] = 0;
  d[4] = (int)v_2_0_vc0_0;
  (void)s, (void)d, (void)same;
  return 1;
}

/* packet for 1: inject 0 -> 0->1 vc0 */
static int rule_2(const int *s, int *d, int *same) {
  value v_0_1_vc0_0 = s[0];
  if (!(v_0_1_vc0_0 == 0)) return 0;
  v_0_1_vc0_0 = 1; same[0] = 0;
  d[0] = (int)v_0_1_vc0_0;
  (void)s, (void)d, (void)same;
  return 1;
}

/* packet for 1: inject 2 -> 2->0 vc0 */
static int rule_3(const int *s, int *d, int *same) {
  value v_2_0_vc0_0 = s[4];
  if (!(v_2_0_vc0_0 == 0)) return 0;
  v_2_0_vc0_0 = 2; same[4] = 0;
  d[4] = (int)v_2_0_vc0_0;
  (void)s, (void)d, (void)same;
  return 1;
}

/* packet for 2: inject 0 -> 0->1 vc0 */
static int rule_4(const int *s, int *d, int *same) {
  value v_0_1_vc0_0 = s[0];
  if (!(v_0_1_vc0_0 == 0)) return 0;
  v_0_1_vc0_0 = 2; same[0] = 0;
  d[0] = (int)v_0_1_vc0_0;
  (void)s, (void)d, (void)same;
  return 1;
}

/* packet for 2: inject 1 -> 1->2 vc0 */
static int rule_5(const int *s, int *d, int *same) {
  value v_1_2_vc0_0 = s[2];
  if (!(v_1_2_vc0_0 == 0)) return 0;
  v_1_2_vc0_0 = 2; same[2] = 0;
  d[2] = (int)v_1_2_vc0_0;
  (void)s, (void)d, (void)same;
  return 1;
}

/* packet for 1: 0->1 vc0 -> eject */
static int rule_6(const int *s, int *d, int *same) {
  value v_0_1_vc0_0 = s[0];
  value v_0_1_vc0_1 = s[1];
  if (!(v_0_1_vc0_0 == 1)) return 0;
  v_0_1_vc0_0 = v_0_1_vc0_1; same[0] = 0;
  v_0_1_vc0_1 = 0; same[1] = 0;
  d[0] = (int)v_0_1_vc0_0;
  d[1] = (int)v_0_1_vc0_1;
  (void)s, (void)d, (void)same;
  return 1;
}

/* packet for 2: 0->1 vc0 -> 1->2 vc0 */
static int rule_7(const int *s, int *d, int *same) {
  value v_0_1_vc0_0 = s[0];
  value v_0_1_vc0_1 = s[1];
  value v_1_2_vc0_0 = s[2];
  value v_1_2_vc0_1 = s[3];
  if (!((v_0_1_vc0_0 == 2) && (v_1_2_vc0_1 == 0))) return 0;
  v_0_1_vc0_0 = v_0_1_vc0_1; same[0] = 0;
  v_0_1_vc0_1 = 0; same[1] = 0;
  if ((v_1_2_vc0_0 == 0)) {
    v_1_2_vc0_0 = 2; same[2] = 0;
  } else {
    v_1_2_vc0_1 = 2; same[3] = 0;
  }
  d[0] = (int)v_0_1_vc0_0;
  d[1] = (int)v_0_1_vc0_1;
  d[2] = (int)v_1_2_vc0_0;
  d[3] = (int)v_1_2_vc0_1;
  (void)s, (void)d, (void)same;
  return 1;
}

/* packet for 0: 1->2 vc0 -> 2->0 vc0 */
static int rule_8(const int *s, int *d, int *same) {
  value v_1_2_vc0_0 = s[2];
  value v_1_2_vc0_1 = s[3];
  value v_2_0_vc0_0 = s[4];
  value v_2_0_vc0_1 = s[5];
  if (!((v_1_2_vc0_0 == 1) && (v_2_0_vc0_1 == 0))) return 0;
  v_1_2_vc0_0 = v_1_2_vc0_1; same[2] = 0;
  v_1_2_vc0_1 = 0; same[3] = 0;
  if ((v_2_0_vc0_0 == 0)) {
    v_2_0_vc0_0 = 1; same[4] = 0;
  } else {
    v_2_0_vc0_1 = 1; same[5] = 0;
  }
  d[2] = (int)v_1_2_vc0_0;
  d[3] = (int)v_1_2_vc0_1;
  d[4] = (int)v_2_0_vc0_0;
  d[5] = (int)v_2_0_vc0_1;
  (void)s, (void)d, (void)same;
  return 1;
}

/* packet for 2: 1->2 vc0 -> eject */
static int rule_9(const int *s, int *d, int *same) {
  value v_1_2_vc0_0 = s[2];
  value v_1_2_vc0_1 = s[3];
  if (!(v_1_2_vc0_0 == 2)) return 0;
  v_1_2_vc0_0 = v_1_2_vc0_1; same[2] = 0;
  v_1_2_vc0_1 = 0; same[3] = 0;
  d[2] = (int)v_1_2_vc0_0;
  d[3] = (int)v_1_2_vc0_1;
  (void)s, (void)d, (void)same;
  return 1;
}

/* packet for 0: 2->0 vc0 -> eject */
static int rule_10(const int *s, int *d, int *same) {
  value v_2_0_vc0_0 = s[4];
  value v_2_0_vc0_1 = s[5];
  if (!(v_2_0_vc0_0 == 1)) return 0;
  v_2_0_vc0_0 = v_2_0_vc0_1; same[4] = 0;
  v_2_0_vc0_1 = 0; same[5] = 0;
  d[4] = (int)v_2_0_vc0_0;
  d[5] = (int)v_2_0_vc0_1;
  (void)s, (void)d, (void)same;
  return 1;
}

/* packet for 1: 2->0 vc0 -> 0->1 vc0 */
static int rule_11(const int *s, int *d, int *same) {
  value v_0_1_vc0_0 = s[0];
  value v_0_1_vc0_1 = s[1];
  value v_2_0_vc0_0 = s[4];
  value v_2_0_vc0_1 = s[5];
  if (!((v_2_0_vc0_0 == 2) && (v_0_1_vc0_1 == 0))) return 0;
  v_2_0_vc0_0 = v_2_0_vc0_1; same[4] = 0;
  v_2_0_vc0_1 = 0; same[5] = 0;
  if ((v_0_1_vc0_0 == 0)) {
    v_0_1_vc0_0 = 1; same[0] = 0;
  } else {
    v_0_1_vc0_1 = 1; same[1] = 0;
  }
  d[0] = (int)v_0_1_vc0_0;
  d[1] = (int)v_0_1_vc0_1;
  d[4] = (int)v_2_0_vc0_0;
  d[5] = (int)v_2_0_vc0_1;
  (void)s, (void)d, (void)same;
  return 1;
}

/* invariant: weak */
static int invariant_0(const int *s) {
  const value v_0_1_vc0_0 = s[0];
  const value v_0_1_vc0_1 = s[1];
  const value v_1_2_vc0_0 = s[2];
  const value v_1_2_vc0_1 = s[3];
  const value v_2_0_vc0_0 = s[4];
  const value v_2_0_vc0_1 = s[5];
  (void)s;
  return (!(((v_0_1_vc0_0 != 0) || (v_1_2_vc0_0 != 0) || (v_2_0_vc0_0 != 0))) || ((v_0_1_vc0_0 == 1) ||
    ((v_0_1_vc0_0 == 2) && (v_1_2_vc0_1 == 0)) ||
    ((v_1_2_vc0_0 == 1) && (v_2_0_vc0_1 == 0)) ||
    (v_1_2_vc0_0 == 2) ||
    (v_2_0_vc0_0 == 1) ||
    ((v_2_0_vc0_0 == 2) && (v_0_1_vc0_1 == 0))));
}

enum { VARIABLES = 6, RULES = 12, INVARIANTS = 1 };

static int initial[] = {0, 0, 0, 0, 0, 0, 0};
static const char *const variable_names[] = {"v_0_1_vc0_0", "v_0_1_vc0_1", "v_1_2_vc0_0", "v_1_2_vc0_1", "v_2_0_vc0_0", "v_2_0_vc0_1", 0};
static int actions[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0};
static const char *const action_names[] = {"packet for 0: inject 1 -> 1->2 vc0", "packet for 0: inject 2 -> 2->0 vc0", "packet for 1: inject 0 -> 0->1 vc0", "packet for 1: inject 2 -> 2->0 vc0", "packet for 2: inject 0 -> 0->1 vc0", "packet for 2: inject 1 -> 1->2 vc0", "packet for 1: 0->1 vc0 -> eject", "packet for 2: 0->1 vc0 -> 1->2 vc0", "packet for 0: 1->2 vc0 -> 2->0 vc0", "packet for 2: 1->2 vc0 -> eject", "packet for 0: 2->0 vc0 -> eject", "packet for 1: 2->0 vc0 -> 0->1 vc0", 0};
static const char *const invariant_names[] = {"weak", 0};

/* pairs of a row and a variable */
static const int reads[][2] = {{0,2}, {1,4}, {2,0}, {3,4}, {4,0}, {5,2}, {6,0}, {6,1}, {7,0}, {7,1}, {7,2}, {7,3}, {8,2}, {8,3}, {8,4}, {8,5}, {9,2}, {9,3}, {10,4}, {10,5}, {11,0}, {11,1}, {11,4}, {11,5}, {-1,-1}};

/* pairs of a row and a variable */
static const int may_write[][2] = {{0,2}, {1,4}, {2,0}, {3,4}, {4,0}, {5,2}, {6,0}, {6,1}, {7,0}, {7,1}, {7,2}, {7,3}, {8,2}, {8,3}, {8,4}, {8,5}, {9,2}, {9,3}, {10,4}, {10,5}, {11,0}, {11,1}, {11,4}, {11,5}, {-1,-1}};

/* pairs of a row and a variable */
static const int must_write[][2] = {{0,2}, {1,4}, {2,0}, {3,4}, {4,0}, {5,2}, {6,0}, {6,1}, {7,0}, {7,1}, {8,2}, {8,3}, {9,2}, {9,3}, {10,4}, {10,5}, {11,4}, {11,5}, {-1,-1}};

/* pairs of a row and a variable */
static const int label_reads[][2] = {{0,0}, {0,1}, {0,2}, {0,3}, {0,4}, {0,5}, {-1,-1}};

static int (*const rules[])(const int *, int *, int *) = {rule_0, rule_1, rule_2, rule_3, rule_4, rule_5, rule_6, rule_7, rule_8, rule_9, rule_10, rule_11, 0};
static int (*const invariants[])(const int *) = {invariant_0, 0};

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
