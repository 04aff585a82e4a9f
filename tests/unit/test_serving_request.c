/* Requests of kind "serving" and "size", key by key: what each way of writing them means, and the line that refuses
 * each wrong one. Expected values are read off the requests. */
#include "support.h"

#include "spec/form.h"
#include "spec/request.h"
#include "spec/size.h"

static void quoted(char *json, size_t size, const char *format, const char *rest)
{
    const int length = snprintf(json, size, format, rest);
    assert_true(length > 0 && (size_t)length < size);
    for (char *c = json; *c; c++)
        if (*c == '\'') *c = '"';
}

/* A serving request whose last keys are `rest`, in which ' stands for ". */
static enum orr_err read_service(const struct world *w, const char *rest, struct orr_serving_request *serving,
                                 struct orr_error *error)
{
    char json[4096];
    memset(error, 0, sizeof *error);
    quoted(json, sizeof json, "{'model':'llama3-8b','system':'h100-sxm',%s}", rest);
    return orr_serving_read(w->catalogue, json, "request", serving, error);
}

static const struct orr_serving_request *good_service(const struct world *w, const char *rest)
{
    static struct orr_serving_request serving;
    struct orr_error error;
    if (read_service(w, rest, &serving, &error)) fail_msg("%s: %s", rest, error.text);
    return &serving;
}

static void closed(const struct orr_serving_request *serving)
{
    orr_serving_request_close((struct orr_serving_request *)(uintptr_t)serving);
}

/* ---------------------------------------------------------------- lengths */

static void every_way_to_write_a_length(void **state)
{
    static const struct {
        const char *text;
        enum orr_length_law law;
        double mean, cv, low, high;
        int64_t of_job; /* the mean that the job gets, rounded half up */
    } CASES[] = {
        {"700", ORR_LENGTH_FIXED, 700, 0, 0, 0, 700},
        {"'700'", ORR_LENGTH_FIXED, 700, 0, 0, 0, 700},
        {"'2k'", ORR_LENGTH_FIXED, 2000, 0, 0, 0, 2000},
        {"'100:201'", ORR_LENGTH_UNIFORM, 0, 0, 100, 201, 151}, /* (100 + 201) / 2 = 150.5 */
        {"'900~0.25'", ORR_LENGTH_LOGNORMAL, 900, 0.25, 0, 0, 900},
        {"{'mean':80}", ORR_LENGTH_FIXED, 80, 0, 0, 0, 80},
        {"{'mean':80,'cv':2}", ORR_LENGTH_LOGNORMAL, 80, 2, 0, 0, 80},
        {"{'low':3,'high':9}", ORR_LENGTH_UNIFORM, 0, 0, 3, 9, 6},
        {"{'law':'exponential','mean':55,'high':400}", ORR_LENGTH_EXPONENTIAL, 55, 0, 0, 400, 55},
        {"{'points':[10,20,70]}", ORR_LENGTH_EMPIRICAL, 0, 0, 0, 0, 20},
        {"{'law':'empirical','points':[10,20,30,90]}", ORR_LENGTH_EMPIRICAL, 0, 0, 0, 0, 30},
    };
    const struct world *w = *state;
    char rest[512];
    for (size_t i = 0; i < COUNT(CASES); i++) {
        (void)snprintf(rest, sizeof rest, "'traffic':{'rate_per_s':1,'input_len':%s,'output_len':10}", CASES[i].text);
        const struct orr_serving_request *serving = good_service(w, rest);
        const struct orr_lengths *lengths = &serving->traffic.input_len;
        assert_int_equal(lengths->law, CASES[i].law);
        assert_true(lengths->mean == CASES[i].mean && lengths->cv == CASES[i].cv);
        assert_true(lengths->low == CASES[i].low && lengths->high == CASES[i].high);
        assert_int_equal(serving->job.serving.input_len, CASES[i].of_job);
        closed(serving);
    }
}

/* Lengths of the workload count where the traffic has none. */
static void lengths_may_be_those_of_the_workload(void **state)
{
    const struct orr_serving_request *serving = good_service(
        *state, "'workload':{'input_len':123,'output_len':45},'traffic':{'rate_per_s':1,'output_len':'40:50'}");
    assert_true(serving->traffic.input_len.mean == 123);
    assert_int_equal(serving->traffic.output_len.law, ORR_LENGTH_UNIFORM);
    assert_int_equal(serving->job.serving.output_len, 45); /* (40 + 50) / 2 */
    closed(serving);
}

/* ---------------------------------------------------------------- traffic */

static void every_way_to_arrive(void **state)
{
    static const struct {
        const char *traffic;
        enum orr_arrival arrival;
        double rate_per_s;
        int64_t concurrency, requests;
    } CASES[] = {
        {"'rate_per_s':'12/s'", ORR_ARRIVAL_POISSON, 12, 0, 10000},
        {"'rate_per_s':'12'", ORR_ARRIVAL_POISSON, 12, 0, 10000},
        {"'rate_per_s':2,'duration_s':'1 min'", ORR_ARRIVAL_POISSON, 2, 0, 0},
        {"'rate_per_s':2,'arrival':'gamma','burstiness':0.5", ORR_ARRIVAL_GAMMA, 2, 0, 10000},
        {"'rate_per_s':2,'arrival':'constant','requests':7", ORR_ARRIVAL_CONSTANT, 2, 0, 7},
        {"'rate_per_s':2,'arrival':'diurnal','swing_frac':0.5", ORR_ARRIVAL_DIURNAL, 2, 0, 10000},
        {"'concurrency':3", ORR_ARRIVAL_CLOSED, 0, 3, 2000},      /* 20 rounds are fewer than 2,000 requests */
        {"'concurrency':500", ORR_ARRIVAL_CLOSED, 0, 500, 10000}, /* 20 rounds */
    };
    const struct world *w = *state;
    char rest[512];
    for (size_t i = 0; i < COUNT(CASES); i++) {
        (void)snprintf(rest, sizeof rest, "'traffic':{%s,'seed':'9','input_len':20,'output_len':10}", CASES[i].traffic);
        const struct orr_serving_request *serving = good_service(w, rest);
        const struct orr_traffic *t = &serving->traffic;
        assert_int_equal(t->arrival, CASES[i].arrival);
        assert_true(t->rate_per_s == CASES[i].rate_per_s && t->period_s == 86400 && t->seed == 9);
        assert_true(t->burstiness == (t->arrival == ORR_ARRIVAL_GAMMA ? 0.5 : 1));
        assert_int_equal(t->concurrency, CASES[i].concurrency);
        assert_int_equal(t->requests, CASES[i].requests);
        closed(serving);
    }
}

static void every_way_to_limit(void **state)
{
    const struct orr_serving_request *serving =
        good_service(*state, "'traffic':{'rate_per_s':1,'input_len':20,'output_len':10},'slo':['ttft<1 s',"
                             "'tpot_s.mean <= 20 ms','itl_s.p50<=0.5','latency_s.p90<=1 min','queue_s.p95<=3 s']");
    static const struct orr_slo EXPECTED[] = {{ORR_TIMING_TTFT, 0.99, 1},
                                              {ORR_TIMING_TPOT, 0, 0.02},
                                              {ORR_TIMING_ITL, 0.5, 0.5},
                                              {ORR_TIMING_LATENCY, 0.9, 60},
                                              {ORR_TIMING_QUEUE, 0.95, 3}};
    assert_int_equal(serving->n_slos, COUNT(EXPECTED));
    for (size_t i = 0; i < COUNT(EXPECTED); i++) {
        assert_int_equal(serving->slos[i].kind, EXPECTED[i].kind);
        assert_true(serving->slos[i].quantile == EXPECTED[i].quantile);
        assert_close(serving->slos[i].limit_s, EXPECTED[i].limit_s, 1e-15);
    }
    closed(serving);
}

/* ---------------------------------------------------------------- deployments */

#define LOAD "'traffic':{'rate_per_s':1,'input_len':200,'output_len':10}"

static void pools_are_objects_or_texts(void **state)
{
    const struct world *w = *state;
    const struct orr_serving_request *serving =
        good_service(w, LOAD ",'plan':{'dp':2},'deployment':{'pools':['whole,system=h200-sxm,tp=2,dp=3,precision=fp8,"
                             "max_requests=7',{'plan':{'tp':4},'max_step_tokens':512}],'max_outstanding':9}");
    const struct orr_deployment d = orr_deployment_of(serving);
    assert_int_equal(d.n_pools, 3);
    assert_int_equal(d.max_outstanding, 9);
    assert_ptr_equal(d.pools[0].job, &serving->job);
    const struct orr_job *second = d.pools[1].job, *third = d.pools[2].job;
    assert_string_equal(second->system.id, "h200-sxm");
    assert_int_equal(second->plan.tp, 2);
    assert_int_equal(second->plan.dp, 3);
    assert_int_equal(second->engine.max_requests, 7);
    assert_string_equal(third->system.id, "h100-sxm");
    assert_int_equal(third->plan.tp, 4);
    assert_int_equal(third->plan.dp, 1);
    assert_int_equal(third->engine.max_step_tokens, 512);
    for (size_t i = 0; i < 3; i++) assert_int_equal(d.pools[i].role, ORR_POOL_WHOLE);
    closed(serving);
}

/* A disaggregated workload has a decode pool like its prefill pool, unless one is given. */
static void two_pools_of_one_plan(void **state)
{
    const struct world *w = *state;
    static const char *const SPLIT[] = {"true", "'true'"};
    for (size_t i = 0; i < COUNT(SPLIT); i++) {
        char rest[512];
        (void)snprintf(rest, sizeof rest, LOAD ",'plan':{'tp':2},'workload':{'disaggregated':%s}", SPLIT[i]);
        const struct orr_serving_request *serving = good_service(w, rest);
        const struct orr_deployment d = orr_deployment_of(serving);
        assert_int_equal(d.n_pools, 2);
        assert_int_equal(d.pools[0].role, ORR_POOL_PREFILL);
        assert_int_equal(d.pools[1].role, ORR_POOL_DECODE);
        assert_int_equal(d.pools[1].job->plan.tp, 2);
        closed(serving);
    }
    const struct orr_serving_request *serving =
        good_service(w, LOAD ",'workload':{'disaggregated':true},'deployment':{'pools':'decode,tp=4'}");
    assert_int_equal(serving->deployment.n_pools, 2);
    assert_int_equal(serving->pool_jobs[0].plan.tp, 4);
    closed(serving);
}

static void failures_and_scaling(void **state)
{
    const struct orr_serving_request *serving =
        good_service(*state, LOAD ",'plan':{'dp':2},'deployment':{'failures':['replica=1,at_s=10,down_s=1 min',"
                                  "{'at_s':5,'down_s':2}],'autoscale':'least=1,most=4,requests=32'}");
    const struct orr_deployment *d = &serving->deployment;
    assert_int_equal(d->n_failures, 2);
    assert_int_equal(d->failures[0].replica, 1);
    assert_true(d->failures[0].at_s == 10 && d->failures[0].down_s == 60);
    assert_int_equal(d->failures[1].replica, 0);
    assert_true(d->failures[1].at_s == 5 && d->failures[1].down_s == 2);
    assert_int_equal(d->autoscale.least, 1);
    assert_int_equal(d->autoscale.most, 4);
    assert_true(d->autoscale.requests == 32 && d->autoscale.start_s == 60 && d->autoscale.interval_s == 10);
    assert_true(d->autoscale.idle_s == 300);
    closed(serving);
}

/* ---------------------------------------------------------------- what is refused */

#define LENGTHS "'input_len':200,'output_len':10"
#define DEPLOY  LOAD ",'deployment':"

static const struct {
    const char *rest, *key, *words;
} BAD_SERVICES[] = {
    {"'traffic':3", "traffic", "must be an object with rate_per_s, concurrency, trace or like, not 3"},
    {"'gpus':1", "traffic", "not absent"},
    {"'kind':'infer'," LOAD, "kind", "must be \"serving\" here"},
    {"'kind':7," LOAD, "kind", "must be \"serving\" here"},
    {"'traffic':{" LENGTHS "}", "traffic", "give one of rate_per_s, concurrency and trace"},
    {"'traffic':{'rate_per_s':1,'concurrency':2," LENGTHS "}", "traffic", "give one of"},
    {"'traffic':{'arrival':'gamma'," LENGTHS "}", "traffic", "this arrival needs rate_per_s"},
    {"'traffic':{'arrival':'closed'," LENGTHS "}", "traffic", "a closed loop needs concurrency"},
    {"'traffic':{'arrival':'trace'," LENGTHS "}", "traffic", "needs a trace"},
    {"'traffic':{'concurrency':2,'router':'least-loaded'," LENGTHS "}", "traffic.router",
     "has no effect on a closed loop"},
    {"'traffic':{'rate_per_s':'1/h'," LENGTHS "}", "traffic.rate_per_s", ""},
    {"'traffic':{'rate_per_s':1,'seed':-1," LENGTHS "}", "traffic.seed",
     "must be a whole number from 0 to 9e15, not -1"},
    {"'traffic':{'rate_per_s':1,'seed':1.5," LENGTHS "}", "traffic.seed", "must be a whole number"},
    {"'traffic':{'rate_per_s':1,'seed':1e16," LENGTHS "}", "traffic.seed", "must be a whole number"},
    {"'traffic':{'rate_per_s':1,'seed':'many'," LENGTHS "}", "traffic.seed", "must be a whole number"},
    {"'traffic':{'rate_per_s':1,'output_len':10}", "traffic.input_len", "is missing"},
    {"'traffic':{'rate_per_s':1,'input_len':10}", "traffic.output_len", "is missing"},
    {"'traffic':{'rate_per_s':1,'input_len':0,'output_len':10}", "traffic.input_len", "must be a length"},
    {"'traffic':{'rate_per_s':1,'input_len':1e30,'output_len':10}", "traffic.input_len", "must be a length"},
    {"'traffic':{'rate_per_s':1,'input_len':'9:3','output_len':10}", "traffic.input_len", "must be a length"},
    {"'traffic':{'rate_per_s':1,'input_len':'9:x','output_len':10}", "traffic.input_len", "must be a length"},
    {"'traffic':{'rate_per_s':1,'input_len':'9~-1','output_len':10}", "traffic.input_len", "must be a length"},
    {"'traffic':{'rate_per_s':1,'input_len':'9~101','output_len':10}", "traffic.input_len", "must be a length"},
    {"'traffic':{'rate_per_s':1,'input_len':'0:3','output_len':10}", "traffic.input_len", "must be a length"},
    {"'traffic':{'rate_per_s':1,'input_len':true,'output_len':10}", "traffic.input_len", "not true"},
    {"'workload':{'input_len':'x'},'traffic':{'rate_per_s':1,'output_len':10}", "workload.input_len",
     "must be a length"},
    {"'traffic':{'rate_per_s':1,'input_len':{'law':'uniform','low':5,'high':4},'output_len':10}", "traffic.input_len",
     "uniform lengths need low from 1 on, and high from low on"},
    {"'traffic':{'rate_per_s':1,'input_len':{},'output_len':10}", "traffic.input_len", "uniform lengths need low"},
    {"'traffic':{'rate_per_s':1,'input_len':{'law':'empirical'},'output_len':10}", "traffic.input_len",
     "empirical lengths need points"},
    {"'traffic':{'rate_per_s':1,'input_len':{'law':'lognormal','cv':1},'output_len':10}", "traffic.input_len",
     "lognormal lengths need a mean"},
    {"'traffic':{'rate_per_s':1,'input_len':{'points':[5]},'output_len':10}", "traffic.input_len",
     "points must be 2 to 129 lengths"},
    {"'traffic':{'rate_per_s':1,'input_len':{'points':[5,4]},'output_len':10}", "traffic.input_len", "ascending"},
    {"'traffic':{'rate_per_s':1,'input_len':{'points':[0,4]},'output_len':10}", "traffic.input_len", "from 1 on"},
    {"'traffic':{'rate_per_s':1,'input_len':{'points':[1,1e30]},'output_len':10}", "traffic.input_len", "points"},
    {"'traffic':{'rate_per_s':1,'input_len':{'points':7},'output_len':10}", "traffic.input_len", "points must be"},
    {"'traffic':{'trace':7}", "traffic.trace", "must be the name of a CSV file"},
    {"'traffic':{'trace':'no/such.csv'}", "traffic.trace", "no such file"},
    {"'traffic':{'trace':'validation'}", "traffic.trace", "is a directory"},
    {LOAD ",'slo':7", "slo", "must be like \"ttft_s.p99<=1 s\""},
    {LOAD ",'slo':'ttft_s.p98<=1 s'", "slo", "p90, p95 or p99"},
    {LOAD ",'slo':'tfft_s.p99<=1 s'", "slo", "with ttft_s, tpot_s"},
    {LOAD ",'slo':'t.p99<=1 s'", "slo", "with ttft_s, tpot_s"},
    {LOAD ",'slo':'ttft_s.p99>1 s'", "slo", "must be like"},
    {LOAD ",'slo':'ttft_s.p99'", "slo", "must be like"},
    {LOAD ",'slo':'ttft_s.p99<=0'", "slo", "must be like"},
    {LOAD ",'slo':'ttft_s.p99<=1 GB'", "slo", "must be like"},
    {LOAD ",'slo':['a','b','c','d','e','f','g','h','i']", "slo", "at most 8 limits"},
    {DEPLOY "[]", "deployment", "must be an object with pools, failures, autoscale or max_outstanding"},
    {DEPLOY "{'pool':1}", "deployment.pool", ""},
    {DEPLOY "{'max_outstanding':0}", "deployment.max_outstanding", ""},
    {DEPLOY "{'pools':7}", "deployment.pools", ""},
    {DEPLOY "{'pools':'half'}", "deployment.pools", "role must be whole, prefill or decode, not \"half\""},
    {DEPLOY "{'pools':{'role':5}}", "deployment.pools", "role must be whole, prefill or decode"},
    {DEPLOY "{'pools':'whole,tq=2'}", "deployment.pools", "did you mean"},
    {DEPLOY "{'pools':'prefill'}", "deployment.pools", ""},
    {DEPLOY "{'pools':'decode'}", "deployment.pools", ""},
    {DEPLOY "{'pools':['prefill','decode']}", "deployment.pools", "cannot have whole pools beside"},
    {DEPLOY "{'pools':['whole','whole','whole','whole','whole','whole','whole','whole']}", "deployment.pools",
     "at most 8 pools"},
    {DEPLOY "{'failures':7}", "deployment.failures", "must be objects or texts like"},
    {DEPLOY "{'failures':'replica=0,at_s=1'}", "deployment.failures", "missing key \"down_s\""},
    {DEPLOY "{'failures':'replica=1,at_s=1,down_s=1'}", "deployment.failures", "there is no replica 1 in pool 0"},
    {DEPLOY "{'failures':'pool=2,at_s=1,down_s=1'}", "deployment.failures", "there is no replica 0 in pool 2"},
    {DEPLOY "{'failures':[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}", "deployment.failures", "at most 16 failures"},
    {DEPLOY "{'autoscale':7}", "deployment.autoscale", "must be an object or a text like"},
    {DEPLOY "{'autoscale':'most=4'}", "deployment.autoscale", "missing key \"requests\""},
    {DEPLOY "{'autoscale':'least=5,most=4,requests=3'}", "deployment.autoscale", "least must not be above most"},
    {DEPLOY "{'autoscale':'least=2,most=4,requests=3'}", "deployment.autoscale", "the 1 replicas of the plan"},
    {"'plan':{'dp':5}," DEPLOY "{'autoscale':'most=4,requests=3'}", "deployment.autoscale", "the 5 replicas"},
    {"'traffic':{'concurrency':2," LENGTHS "},'deployment':{'max_outstanding':4}", "deployment.max_outstanding",
     "turns nobody away in a closed loop"},
};

static void bad_services_are_refused(void **state)
{
    const struct world *w = *state;
    static struct orr_serving_request serving;
    size_t n_bad = 0;
    for (size_t i = 0; i < COUNT(BAD_SERVICES); i++) {
        struct orr_error error;
        const enum orr_err err = read_service(w, BAD_SERVICES[i].rest, &serving, &error);
        const bool good =
            err && strcmp(error.key, BAD_SERVICES[i].key) == 0 && strstr(error.text, BAD_SERVICES[i].words);
        if (!good) print_error("%s: %s: \"%s\"\n", BAD_SERVICES[i].rest, error.key, err ? error.text : "accepted");
        if (!err) orr_serving_request_close(&serving);
        n_bad += !good;
    }
    assert_int_equal(n_bad, 0);
}

/* ---------------------------------------------------------------- sizes */

#define SIZE LOAD ",'slo':'ttft_s<=1 s'"

static enum orr_err read_size(const struct world *w, const char *rest, struct orr_size_request *size,
                              struct orr_error *error)
{
    char json[4096];
    memset(error, 0, sizeof *error);
    quoted(json, sizeof json, "{'model':'llama3-8b',%s}", rest);
    return orr_size_read(w->catalogue, json, "request", size, error);
}

static void every_way_to_write_a_budget(void **state)
{
    static const struct {
        const char *budget;
        int64_t gpus;
        double usd_per_h;
    } CASES[] = {{"16", 16, 0},        {"'16'", 16, 0},        {"'16 GPUs'", 16, 0}, {"'1 GPU'", 1, 0},
                 {"'24 gpus'", 24, 0}, {"'$12.5/h'", 0, 12.5}, {"'40 USD/h'", 0, 40}};
    const struct world *w = *state;
    static struct orr_size_request size;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_error error;
        char rest[512];
        (void)snprintf(rest, sizeof rest, "'system':'h100-sxm'," SIZE ",'size':{'budget':%s}", CASES[i].budget);
        if (read_size(w, rest, &size, &error)) fail_msg("%s", error.text);
        if (CASES[i].gpus) assert_int_equal(size.budget_gpus, CASES[i].gpus);
        assert_true(size.budget_usd_per_h == CASES[i].usd_per_h);
        orr_size_request_close(&size);
    }
}

static void bad_sizes_are_refused(void **state)
{
    static const struct {
        const char *rest, *key, *words;
    } CASES[] = {
        {"'kind':'serving','system':'h100-sxm'," SIZE, "kind", ""},
        {"'kind':3,'system':'h100-sxm'," SIZE, "kind", ""},
        {"'system':'h100-sxm','gpus':8," SIZE, "gpus", ""},
        {"'system':'h100-sxm'," SIZE ",'size':{'budget':0}", "size.budget", ""},
        {"'system':'h100-sxm'," SIZE ",'size':{'budget':1.5}", "size.budget", ""},
        {"'system':'h100-sxm'," SIZE ",'size':{'budget':'3 GB'}", "size.budget", ""},
        {"'system':'h100-sxm'," SIZE ",'size':{'budget':'$3 GPUs'}", "size.budget", ""},
        {"'system':'h100-sxm'," SIZE ",'size':{'budget':'-2'}", "size.budget", ""},
        {"'system':'h100-sxm'," SIZE ",'size':{'budget':1e30}", "size.budget", ""},
        {"'system':'h100-sxm'," SIZE ",'size':{'budget':true}", "size.budget", ""},
        {"'system':'h100-sxm'," SIZE ",'size':{'batch':0}", "size.batch", ""},
        {"'system':'h100-sxm'," SIZE ",'size':{'batch':[8,'x']}", "size.batch", ""},
        {"'system':'h100-sxm'," SIZE ",'size':{'batch':[8,1.5]}", "size.batch", ""},
        {"'system':'h100-sxm'," SIZE ",'size':{'batch':true}", "size.batch", ""},
        {"'system':'h100-sxm'," SIZE ",'size':{'chunk':'1e30'}", "size.chunk", ""},
        {"'system':'h100-sxm'," SIZE ",'plan':{'cp':2}", "plan.cp", ""},
        {"'system':'h100-sxm','slo':'ttft_s<=1 s','traffic':{'arrival':'saturated','input_len':9,'output_len':9}",
         "traffic.arrival", ""},
        {"'system':['h100-sxm','h100-sxm','h100-sxm','h100-sxm','h100-sxm','h100-sxm','h100-sxm','h100-sxm','h100-sxm',"
         "'h100-sxm','h100-sxm','h100-sxm','h100-sxm','h100-sxm','h100-sxm','h100-sxm','h100-sxm']," SIZE,
         "system", ""},
    };
    const struct world *w = *state;
    static struct orr_size_request size;
    size_t n_bad = 0;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        struct orr_error error;
        const enum orr_err err = read_size(w, CASES[i].rest, &size, &error);
        const bool good = err && strcmp(error.key, CASES[i].key) == 0 && strstr(error.text, CASES[i].words);
        if (!good) print_error("%s: %s: \"%s\"\n", CASES[i].rest, error.key, err ? error.text : "accepted");
        if (!err) orr_size_request_close(&size);
        n_bad += !good;
    }
    assert_int_equal(n_bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_way_to_write_a_length), cmocka_unit_test(lengths_may_be_those_of_the_workload),
        cmocka_unit_test(every_way_to_arrive),         cmocka_unit_test(every_way_to_limit),
        cmocka_unit_test(pools_are_objects_or_texts),  cmocka_unit_test(two_pools_of_one_plan),
        cmocka_unit_test(failures_and_scaling),        cmocka_unit_test(bad_services_are_refused),
        cmocka_unit_test(every_way_to_write_a_budget), cmocka_unit_test(bad_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, open_world, close_world);
}
