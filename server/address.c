/* How many connections an address has. */
#define _POSIX_C_SOURCE 200809L
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "server/internal.h"

static const unsigned char MAPPED[12] = {[10] = 0xff, [11] = 0xff}; /* ::ffff:0:0/96 has the IPv4 addresses */

struct srv_address srv_address_of(const struct sockaddr *from, char shown[INET6_ADDRSTRLEN])
{
    struct srv_address address = {.local = false};
    const bool six = from->sa_family == AF_INET6;
    const struct in6_addr *wide = &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr;
    const struct in_addr *narrow = &((const struct sockaddr_in *)(const void *)from)->sin_addr;
    shown[0] = '\0';
    (void)inet_ntop(from->sa_family, six ? (const void *)wide : (const void *)narrow, shown, INET6_ADDRSTRLEN);
    memcpy(address.bytes, MAPPED, sizeof MAPPED);
    if (six) memcpy(address.bytes, wide, sizeof *wide);
    else memcpy(address.bytes + sizeof MAPPED, narrow, sizeof *narrow);
    const bool mapped = memcmp(address.bytes, MAPPED, sizeof MAPPED) == 0;
    address.local = mapped ? address.bytes[12] == 127 : IN6_IS_ADDR_LOOPBACK(wide);
    if (!mapped) memset(address.bytes + 8, 0, 8);
    return address;
}

bool srv_addresses_init(struct srv_addresses *addresses, int n_connections_max)
{
    addresses->capacity = n_connections_max + 1;
    addresses->counts = calloc((size_t)addresses->capacity, sizeof *addresses->counts);
    return addresses->counts && pthread_mutex_init(&addresses->lock, NULL) == 0;
}

void srv_addresses_free(struct srv_addresses *addresses)
{
    if (addresses->counts) (void)pthread_mutex_destroy(&addresses->lock);
    free(addresses->counts);
}

static struct srv_address_count *find(struct srv_addresses *addresses, const struct srv_address *address)
{
    for (int i = 0; i < addresses->n_counts; i++)
        if (memcmp(addresses->counts[i].address.bytes, address->bytes, sizeof address->bytes) == 0)
            return &addresses->counts[i];
    return NULL;
}

bool srv_addresses_take(struct srv_addresses *addresses, const struct srv_address *address, int n_max)
{
    pthread_mutex_lock(&addresses->lock);
    struct srv_address_count *count = find(addresses, address);
    if (!count && addresses->n_counts < addresses->capacity) {
        count = &addresses->counts[addresses->n_counts++];
        *count = (struct srv_address_count){.address = *address};
    }
    const bool taken = count && count->n < n_max;
    if (taken) count->n++;
    pthread_mutex_unlock(&addresses->lock);
    return taken;
}

void srv_addresses_leave(struct srv_addresses *addresses, const struct srv_address *address)
{
    pthread_mutex_lock(&addresses->lock);
    struct srv_address_count *count = find(addresses, address);
    if (count && --count->n == 0) *count = addresses->counts[--addresses->n_counts];
    pthread_mutex_unlock(&addresses->lock);
}
