#include "server/internal.h"
enum MHD_Result srv_search(struct srv_request *request)
{
    return srv_reply_refusal(request->connection, 501, "not there yet");
}
enum MHD_Result srv_sweep(struct srv_request *request)
{
    return srv_reply_refusal(request->connection, 501, "not there yet");
}
void srv_study_release(struct srv_study *study)
{
    (void)study;
}
