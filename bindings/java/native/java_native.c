/* java_native.c - what org.macadam.NativeLibrary declares native: macadam.h for Java, by messages as bytes.
 *
 * A Java exception that a callback throws is kept in `raised` until the library has returned, and thrown then: while an
 * exception is pending, hardly any function of JNI may be called. All texts are UTF-8 in byte arrays, because JNI's
 * own strings have an encoding of their own. */
#include "engine/include/macadam.h"

#include <assert.h>
#include <jni.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED __attribute__((unused)) /* JNI gives each function its class */

enum {
    GUIDE_OPTIONS = 5,    /* numbers of GuideOptions */
    POSITION_NUMBERS = 7, /* of Position */
    TEXT_BYTES = 1024,    /* of an instruction */
};

/* An engine; a `long` of Java holds its address. */
typedef struct java_engine {
    macadam_engine *engine;
    jobject progress; /* a global reference, or NULL */
} java_engine;

/* A navigation session, and the route that it follows, for its texts. */
typedef struct java_guide {
    macadam_guide *guide;
    macadam_route *route;
} java_guide;

static JavaVM *machine;
static jclass library_class; /* org.macadam.NativeLibrary */
static jmethodID failure_method, report_method, take_method;
static _Thread_local jthrowable raised; /* by a callback of the thread's innermost call */

/* ---- conversions; each returns NULL with an exception pending if there is no memory ---- */

static jbyteArray new_bytes(JNIEnv *env, const void *data, size_t size)
{
    const jbyteArray array = (*env)->NewByteArray(env, (jsize)size);
    if (array && size) (*env)->SetByteArrayRegion(env, array, 0, (jsize)size, data);
    return array;
}

static void throw_failure(JNIEnv *env, macadam_status status, const char *message)
{
    const jbyteArray text = new_bytes(env, message, strlen(message));
    if (!text) return;
    const jthrowable failure =
        (*env)->CallStaticObjectMethod(env, library_class, failure_method, (jint)status, text);
    if (failure && !(*env)->ExceptionCheck(env)) (*env)->Throw(env, failure);
}

/* Copies a text; sets *out to NULL if it is null. Returns false, with an exception pending, if there is no memory. */
static bool new_text(char **out, JNIEnv *env, jbyteArray text)
{
    *out = NULL;
    if (!text) return true;
    const jsize size = (*env)->GetArrayLength(env, text);
    *out = malloc((size_t)size + 1);
    if (!*out) {
        throw_failure(env, MACADAM_E_MEMORY, "there is no memory for a text");
        return false;
    }
    (*env)->GetByteArrayRegion(env, text, 0, size, (jbyte *)*out);
    (*out)[size] = '\0';
    return true;
}

/* ---- callbacks ---- */

/* Moves a pending exception to `raised`. Returns whether there was none. */
static bool keep_exception(JNIEnv *env)
{
    const jthrowable thrown = (*env)->ExceptionOccurred(env);
    if (!thrown) return true;
    (*env)->ExceptionClear(env);
    raised = thrown;
    return false;
}

/* A macadam_progress. The library calls it in the thread that called the library. */
static bool report(void *context, const char *phase, uint64_t done, uint64_t total)
{
    const java_engine *const engine = context;
    JNIEnv *env;
    if (raised) return false;
    if ((*machine)->GetEnv(machine, (void **)&env, JNI_VERSION_1_6) != JNI_OK) return true;
    jstring name = NULL; /* a phase is ASCII */
    bool goes_on = true;
    if (engine->progress) name = (*env)->NewStringUTF(env, phase);
    if (!(*env)->ExceptionCheck(env))
        goes_on = (*env)->CallStaticBooleanMethod(env, library_class, report_method, engine->progress, name,
                                                  (jlong)done, (jlong)total);
    if (name) (*env)->DeleteLocalRef(env, name);
    return keep_exception(env) && goes_on;
}

typedef struct receiver {
    JNIEnv *env;
    jobject part; /* a java.util.function.Consumer */
} receiver;

/* A macadam_reply_callback. */
static bool take_part(void *context, const uint8_t *data, size_t size)
{
    const receiver *const to = context;
    if (raised) return false;
    const jbyteArray bytes = new_bytes(to->env, data, size);
    if (bytes) (*to->env)->CallStaticVoidMethod(to->env, library_class, take_method, to->part, bytes);
    const bool goes_on = keep_exception(to->env);
    if (bytes) (*to->env)->DeleteLocalRef(to->env, bytes);
    return goes_on;
}

/* Throws what a callback has thrown, and lets the outer call of this thread have its own again. Returns whether there was
 * anything. */
static bool throw_raised(JNIEnv *env, jthrowable outer)
{
    const jthrowable inner = raised;
    raised = outer;
    if (inner) (*env)->Throw(env, inner);
    return inner;
}

/* ---- org.macadam.NativeLibrary ---- */

static jbyteArray JNICALL native_version(JNIEnv *env, UNUSED jclass self)
{
    return new_bytes(env, macadam_version(), strlen(macadam_version()));
}

static void JNICALL native_close(JNIEnv *env, UNUSED jclass self, jlong handle)
{
    java_engine *const engine = (java_engine *)(intptr_t)handle;
    macadam_engine_close(engine->engine);
    if (engine->progress) (*env)->DeleteGlobalRef(env, engine->progress);
    free(engine);
}

static java_engine *new_engine(JNIEnv *env, jobject progress)
{
    java_engine *const engine = calloc(1, sizeof *engine);
    if (engine && progress) engine->progress = (*env)->NewGlobalRef(env, progress);
    if (engine && (engine->progress || !progress)) return engine;
    free(engine);
    throw_failure(env, MACADAM_E_MEMORY, "there is no memory for an engine");
    return NULL;
}

static java_engine *open_engine(JNIEnv *env, const char *path, macadam_engine_options *options,
                                jobject progress)
{
    macadam_error error;
    java_engine *const engine = new_engine(env, progress);
    if (!engine) return NULL;
    options->progress = report;
    options->progress_context = engine;
    const jthrowable outer = raised;
    raised = NULL;
    const macadam_status status = macadam_engine_open(&engine->engine, path, options, &error);
    const bool has_thrown = throw_raised(env, outer);
    if (status == MACADAM_OK && !has_thrown) return engine;
    if (!has_thrown) throw_failure(env, status, error.message);
    native_close(env, NULL, (jlong)(intptr_t)engine);
    return NULL;
}

static jlong JNICALL native_open(JNIEnv *env, UNUSED jclass self, jbyteArray path, jbyteArray device,
                                 jbyteArray profile, jint threads, jlong memory_limit, jboolean trust_file,
                                 jboolean read_file, jobject progress)
{
    char *path_text, *device_text = NULL, *profile_text = NULL;
    java_engine *engine = NULL;
    if (new_text(&path_text, env, path) && new_text(&device_text, env, device) &&
        new_text(&profile_text, env, profile)) {
        macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
        options.device = device_text;
        options.profile = profile_text;
        options.threads = (unsigned)threads;
        options.memory_limit = (uint64_t)memory_limit;
        options.trust_file = trust_file;
        options.read_file = read_file;
        engine = open_engine(env, path_text, &options, progress);
    }
    free(path_text);
    free(device_text);
    free(profile_text);
    return (jlong)(intptr_t)engine;
}

/* A call with a serialized Request and a Reply. */
typedef struct java_call {
    JNIEnv *env;
    jbyteArray array; /* of the request */
    jbyte *request;
    size_t request_size;
    jthrowable outer; /* `raised` of the call around this one */
    macadam_bytes reply;
    macadam_error error;
} java_call;

/* Returns false, with an exception pending, if there is no memory. */
static bool begin_call(java_call *call, JNIEnv *env, jbyteArray request)
{
    *call = (java_call){.env = env, .array = request, .outer = raised};
    call->request = (*env)->GetByteArrayElements(env, request, NULL);
    if (!call->request) return false;
    call->request_size = (size_t)(*env)->GetArrayLength(env, request);
    raised = NULL;
    return true;
}

/* Returns the Reply, which holds a failure itself unless there was no memory for it; else NULL, with an exception pending. */
static jbyteArray end_call(java_call *call, macadam_status status)
{
    JNIEnv *const env = call->env;
    jbyteArray bytes = NULL;
    (*env)->ReleaseByteArrayElements(env, call->array, call->request, JNI_ABORT);
    if (!throw_raised(env, call->outer)) {
        if (status != MACADAM_OK && !call->reply.size)
            throw_failure(env, status, call->error.message);
        else
            bytes = new_bytes(env, call->reply.data, call->reply.size);
    }
    macadam_bytes_free(&call->reply);
    return bytes;
}

static jbyteArray JNICALL native_call(JNIEnv *env, UNUSED jclass self, jlong handle, jbyteArray request,
                                      jobject part)
{
    const java_engine *const engine = (java_engine *)(intptr_t)handle;
    receiver to = {env, part};
    java_call call;
    if (!begin_call(&call, env, request)) return NULL;
    return end_call(&call, macadam_call(&call.reply, engine->engine, (const uint8_t *)call.request,
                                        call.request_size, part ? take_part : NULL, &to, &call.error));
}

/* Lists where the costs go, at most MACADAM_QUANTITIES_MAX arrays; *capacity: the room of the smallest. Returns how many arrays
 * there are; -1, with an exception pending, if one is not fit to be written to. */
static int list_buffers(uint32_t **value, size_t *capacity, JNIEnv *env, jobjectArray buffers)
{
    const jsize given = (*env)->GetArrayLength(env, buffers);
    const int count = given < MACADAM_QUANTITIES_MAX ? (int)given : MACADAM_QUANTITIES_MAX;
    *capacity = count ? SIZE_MAX : 0;
    for (int i = 0; i < count; ++i) {
        const jobject buffer = (*env)->GetObjectArrayElement(env, buffers, i);
        value[i] = (*env)->GetDirectBufferAddress(env, buffer);
        const jlong bytes = (*env)->GetDirectBufferCapacity(env, buffer);
        (*env)->DeleteLocalRef(env, buffer);
        if (!value[i] || bytes < 0 || (uintptr_t)value[i] % sizeof(uint32_t)) {
            throw_failure(env, MACADAM_E_INVALID,
                          "a buffer for costs is not direct, or not aligned to 4 bytes");
            return -1;
        }
        const size_t room = (size_t)bytes / sizeof(uint32_t);
        if (room < *capacity) *capacity = room;
    }
    return count;
}

static jbyteArray JNICALL native_call_into(JNIEnv *env, UNUSED jclass self, jlong handle, jbyteArray request,
                                           jobjectArray buffers)
{
    const java_engine *const engine = (java_engine *)(intptr_t)handle;
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    size_t capacity;
    java_call call;
    const int value_count = list_buffers(value, &capacity, env, buffers);
    if (value_count < 0 || !begin_call(&call, env, request)) return NULL;
    return end_call(&call,
                    macadam_call_into(value, (size_t)value_count, capacity, &call.reply, engine->engine,
                                      (const uint8_t *)call.request, call.request_size, &call.error));
}

/* ---- guidance ---- */

static void JNICALL native_guide_close(UNUSED JNIEnv *env, UNUSED jclass self, jlong handle)
{
    java_guide *const guide = (java_guide *)(intptr_t)handle;
    if (!guide) return;
    macadam_guide_free(guide->guide);
    macadam_route_free(guide->route);
    free(guide);
}

/* Returns which value of a route by the first metric of a profile (NULL: the engine's) is its duration. The route has been found,
 * so that the profile exists and is open. */
static size_t duration_of_first_metric(macadam_engine *engine, const char *profile)
{
    macadam_info info = MACADAM_INFO_INIT;
    if ((profile && macadam_engine_of_profile(&engine, engine, profile, NULL) != MACADAM_OK) ||
        macadam_engine_info(&info, engine, NULL) != MACADAM_OK || info.metric_count == 0)
        return MACADAM_QUANTITIES_MAX;
    return strcmp(info.metric[0], "duration") == 0 ? 0 : MACADAM_QUANTITIES_MAX;
}

/* Begins a session along the route, which is its own then. Returns NULL, with an exception pending, if that fails. */
static java_guide *new_guide(JNIEnv *env, macadam_route *route, size_t duration, const double *number)
{
    macadam_error error;
    macadam_guide_options options = MACADAM_GUIDE_OPTIONS_INIT;
    options.duration = duration;
    options.accuracy_m = number[1];
    options.far_s = number[2];
    options.near_s = number[3];
    options.now_s = number[4];
    java_guide *const guide = calloc(1, sizeof *guide);
    const macadam_status status =
        guide ? macadam_guide_new(&guide->guide, route, &options, &error) : MACADAM_E_MEMORY;
    if (status == MACADAM_OK) {
        guide->route = route;
        return guide;
    }
    throw_failure(env, status, guide ? error.message : "there is no memory for a guide");
    macadam_route_free(route);
    free(guide);
    return NULL;
}

/* Returns the Reply. Sets handle[0] to the session, unless there is no route. */
static jbyteArray JNICALL native_guide_open(JNIEnv *env, UNUSED jclass self, jlong engine_handle,
                                            jbyteArray request, jbyteArray profile, jdoubleArray options,
                                            jlongArray handle)
{
    const java_engine *const engine = (java_engine *)(intptr_t)engine_handle;
    macadam_route *route;
    java_call call;
    double number[GUIDE_OPTIONS];
    (*env)->GetDoubleArrayRegion(env, options, 0, GUIDE_OPTIONS, number);
    if (!begin_call(&call, env, request)) return NULL;
    const jbyteArray bytes =
        end_call(&call, macadam_call_route(&route, &call.reply, engine->engine, (const uint8_t *)call.request,
                                           call.request_size, &call.error));
    if (!bytes || !route || !route->found) {
        macadam_route_free(route);
        return bytes;
    }
    char *profile_text;
    if (!new_text(&profile_text, env, profile)) {
        macadam_route_free(route);
        return NULL;
    }
    const size_t duration =
        number[0] < 0 ? duration_of_first_metric(engine->engine, profile_text) : (size_t)number[0];
    free(profile_text);
    java_guide *const guide = new_guide(env, route, duration, number);
    const jlong address = (jlong)(intptr_t)guide;
    if (guide) (*env)->SetLongArrayRegion(env, handle, 0, 1, &address);
    return bytes;
}

static_assert(offsetof(macadam_trace_point, reserved) == POSITION_NUMBERS * sizeof(jdouble),
              "a trace point begins with the numbers of a Position");

/* `position`: the members of macadam_trace_point in its order. Returns those of GuideState.of(). */
static jdoubleArray JNICALL native_guide_move(JNIEnv *env, UNUSED jclass self, jlong handle,
                                              jdoubleArray position)
{
    const java_guide *const guide = (java_guide *)(intptr_t)handle;
    macadam_guide_state state = MACADAM_GUIDE_STATE_INIT;
    macadam_error error;
    macadam_trace_point point = {0};
    (*env)->GetDoubleArrayRegion(env, position, 0, POSITION_NUMBERS, (jdouble *)&point);
    const macadam_status status = macadam_guide_move(&state, guide->guide, &point, &error);
    if (status != MACADAM_OK) {
        throw_failure(env, status, error.message);
        return NULL;
    }
    const double number[] = {state.status,
                             state.lon,
                             state.lat,
                             state.distance_m,
                             (double)state.arc,
                             state.along,
                             state.travelled_m,
                             state.left_m,
                             state.left_s,
                             (double)state.leg,
                             state.leg_left_m,
                             state.leg_left_s,
                             (double)state.step,
                             state.step_m,
                             state.step_s,
                             state.say,
                             (double)state.first_said,
                             (double)state.end_said,
                             state.again.lon,
                             state.again.lat,
                             state.again.heading,
                             state.again.heading_tolerance};
    const jsize count = sizeof number / sizeof *number;
    const jdoubleArray array = (*env)->NewDoubleArray(env, count);
    if (array) (*env)->SetDoubleArrayRegion(env, array, 0, count, number);
    return array;
}

static jbyteArray JNICALL native_guide_text(JNIEnv *env, UNUSED jclass self, jlong handle, jint step,
                                            jbyteArray language, jint units, jboolean lanes,
                                            jdouble distance_m)
{
    const java_guide *const guide = (java_guide *)(intptr_t)handle;
    macadam_text_options options = MACADAM_TEXT_OPTIONS_INIT;
    macadam_error error;
    char text[TEXT_BYTES], *language_text;
    if (!new_text(&language_text, env, language)) return NULL;
    options.language = language_text;
    options.units = (macadam_units)units;
    options.lanes = lanes;
    options.distance_m = distance_m;
    const macadam_status status =
        macadam_route_text(text, sizeof text, guide->route, (size_t)step, &options, &error);
    free(language_text);
    if (status == MACADAM_OK) return new_bytes(env, text, strlen(text));
    throw_failure(env, status, error.message);
    return NULL;
}

/* Each function by its name and types there. */
static const JNINativeMethod natives[] = {
    {"version", "()[B", native_version},
    {"open", "([B[B[BIJZZLorg/macadam/Progress;)J", native_open},
    {"close", "(J)V", native_close},
    {"call", "(J[BLjava/util/function/Consumer;)[B", native_call},
    {"callInto", "(J[B[Ljava/nio/ByteBuffer;)[B", native_call_into},
    {"guideOpen", "(J[B[B[D[J)[B", native_guide_open},
    {"guideClose", "(J)V", native_guide_close},
    {"guideMove", "(J[D)[D", native_guide_move},
    {"guideText", "(JI[BIZD)[B", native_guide_text},
};

/* Java calls it when the library is loaded; NativeLibrary then fails to load with the exception that is pending. */
JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, UNUSED void *reserved)
{
    JNIEnv *env;
    machine = vm;
    if ((*vm)->GetEnv(vm, (void **)&env, JNI_VERSION_1_6) != JNI_OK) return JNI_ERR;
    const jclass found = (*env)->FindClass(env, "org/macadam/NativeLibrary");
    library_class = found ? (*env)->NewGlobalRef(env, found) : NULL;
    if (!library_class) return JNI_ERR;
    failure_method = (*env)->GetStaticMethodID(env, found, "failure", "(I[B)Ljava/lang/RuntimeException;");
    if (!failure_method) return JNI_ERR;
    report_method =
        (*env)->GetStaticMethodID(env, found, "report", "(Lorg/macadam/Progress;Ljava/lang/String;JJ)Z");
    if (!report_method) return JNI_ERR;
    take_method = (*env)->GetStaticMethodID(env, found, "take", "(Ljava/util/function/Consumer;[B)V");
    if (!take_method) return JNI_ERR;
    return (*env)->RegisterNatives(env, found, natives, sizeof natives / sizeof *natives) == JNI_OK
               ? JNI_VERSION_1_6
               : JNI_ERR;
}
