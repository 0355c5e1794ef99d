/* SPDX-License-Identifier: BSD-3-Clause */
#include "mempool_magazine.h"
