/* written by unknot */
/* token ring of 3
   cc -O2 -fPIC -shared -o model.so model.c && pins2lts-mc model.so */
/* not written: 'place 0 lets go' is always answered */
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

/* pass from 0 */
static int rule_0(const int *s, int *d, int *same) {
  value token_0 = s[0];
  value token_1 = s[1];
  if (!(token_0 == 1)) return 0;
  token_0 = 0; same[0] = 0;
  token_1 = 1; same[1] = 0;
  d[0] = (int)token_0;
  d[1] = (int)token_1;
  (void)s, (void)d, (void)same;
  return 1;
}

/* pass from 1 */
static int rule_1(const int *s, int *d, int *same) {
  value token_1 = s[1];
  value token_2 = s[2];
  if (!(token_1 == 1)) return 0;
  token_1 = 0; same[1] = 0;
  token_2 = 1; same[2] = 0;
  d[1] = (int)token_1;
  d[2] = (int)token_2;
  (void)s, (void)d, (void)same;
  return 1;
}

/* pass from 2 */
static int rule_2(const int *s, int *d, int *same) {
  value token_0 = s[0];
  value token_2 = s[2];
  if (!(token_2 == 1)) return 0;
  token_2 = 0; same[2] = 0;
  token_0 = 1; same[0] = 0;
  d[0] = (int)token_0;
  d[2] = (int)token_2;
  (void)s, (void)d, (void)same;
  return 1;
}

/* invariant: some place has the token */
static int invariant_0(const int *s) {
  const value token_0 = s[0];
  const value token_1 = s[1];
  const value token_2 = s[2];
  (void)s;
  return ((token_0 == 1) || (token_1 == 1) || (token_2 == 1));
}

enum { VARIABLES = 3, RULES = 3, INVARIANTS = 1 };

static int initial[] = {1, 0, 0, 0};
static const char *const variable_names[] = {"token_0", "token_1", "token_2", 0};
static int actions[] = {0, 1, 2, 0};
static const char *const action_names[] = {"pass from 0", "pass from 1", "pass from 2", 0};
static const char *const invariant_names[] = {"some_place_has_the_token", 0};

/* pairs of a row and a variable */
static const int reads[][2] = {{0,0}, {1,1}, {2,2}, {-1,-1}};

/* pairs of a row and a variable */
static const int may_write[][2] = {{0,0}, {0,1}, {1,1}, {1,2}, {2,0}, {2,2}, {-1,-1}};

/* pairs of a row and a variable */
static const int must_write[][2] = {{0,0}, {0,1}, {1,1}, {1,2}, {2,0}, {2,2}, {-1,-1}};

/* pairs of a row and a variable */
static const int label_reads[][2] = {{0,0}, {0,1}, {0,2}, {-1,-1}};

static int (*const rules[])(const int *, int *, int *) = {rule_0, rule_1, rule_2, 0};
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
