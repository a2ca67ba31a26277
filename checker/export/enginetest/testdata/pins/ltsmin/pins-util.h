#ifndef PINS_UTIL
#define PINS_UTIL

#include <ltsmin/pins.h>

extern void pins_chunk_put_at(model_t model, int type_no, const chunk c, int index);
#endif
