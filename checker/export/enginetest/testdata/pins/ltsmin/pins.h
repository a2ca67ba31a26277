/* What a model of LTSmin uses of its interface, with the signatures of LTSmin 3.1.
   For a host of the tests' own, host.c, which keeps no more than it takes to count. */
#ifndef PINS_H
#define PINS_H

#include <stdint.h>
#include <string.h>

typedef struct grey_box_model *model_t;
typedef struct lts_type_s *lts_type_t;
typedef struct matrix { int rows, cols; unsigned char *set; } matrix_t;
typedef struct { uint32_t len; char *data; } chunk;
#define chunk_str(s) ((chunk){(uint32_t)strlen(s), ((char *)s)})

typedef enum { LTStypeDirect, LTStypeRange, LTStypeChunk, LTStypeEnum, LTStypeBool, LTStypeTrilean, LTStypeSInt32 } data_format_t;

typedef struct transition_info { int *labels; int group; int por_proviso; } transition_info_t;
#define GB_TI(A, B) {(A), (B), 0}
typedef void (*TransitionCB)(void *context, transition_info_t *info, int *dst, int *cpy);
typedef int (*next_method_grey_t)(model_t self, int group, int *src, TransitionCB cb, void *context);
typedef int (*get_label_method_t)(model_t self, int label, int *src);

extern lts_type_t lts_type_create(void);
extern int lts_type_put_type(lts_type_t, const char *name, data_format_t, int *is_new);
extern void lts_type_set_state_length(lts_type_t, int length);
extern void lts_type_set_state_name(lts_type_t, int idx, const char *name);
extern void lts_type_set_state_typeno(lts_type_t, int idx, int typeno);
extern void lts_type_set_edge_label_count(lts_type_t, int count);
extern void lts_type_set_edge_label_name(lts_type_t, int label, const char *name);
extern void lts_type_set_edge_label_type(lts_type_t, int label, const char *name);
extern void lts_type_set_edge_label_typeno(lts_type_t, int label, int typeno);
extern void lts_type_set_state_label_count(lts_type_t, int count);
extern void lts_type_set_state_label_name(lts_type_t, int label, const char *name);
extern void lts_type_set_state_label_typeno(lts_type_t, int label, int typeno);
extern void lts_type_validate(lts_type_t);
extern void dm_create(matrix_t *, const int rows, const int cols);
extern void dm_set(matrix_t *, const int row, const int col);
extern void GBsetLTStype(model_t, lts_type_t);
extern void GBsetInitialState(model_t, int *state);
extern void GBsetNextStateLong(model_t, next_method_grey_t);
extern void GBsetStateLabelLong(model_t, get_label_method_t);
extern void GBsetDMInfo(model_t, matrix_t *);
extern void GBsetDMInfoRead(model_t, matrix_t *);
extern void GBsetDMInfoMayWrite(model_t, matrix_t *);
extern void GBsetDMInfoMustWrite(model_t, matrix_t *);
extern void GBsetStateLabelInfo(model_t, matrix_t *);
#endif
