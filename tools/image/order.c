/* SPDX-License-Identifier: BSD-2-Clause */
/* See order.h. */
#include "tools/image/order.h"

#include <stdlib.h>

#include "tools/image/allocate.h"

bool order_read(struct order *order, const struct option *options, int argc, char **argv)
{
    int option;

    *order = (struct order){.exempt = allocate((size_t)argc, sizeof(*order->exempt))};
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (option == '?')
            return false;
        if (option == 'e')
            order->exempt[order->exempt_count++] = optarg;
        else if (option == 'g')
            order->gaps = optarg;
        else if (option == 't')
            order->text = optarg;
        else
            order->what = option;
    }
    order->path = argv[optind];
    return optind + 1 == argc;
}

enum image_use order_use(const struct order *order)
{
    return order->what == 0 ? IMAGE_WRITE : order->what == 'n' ? IMAGE_MEASURE : IMAGE_READ;
}

void order_free(struct order *order)
{
    free(order->exempt);
}
