/* SPDX-License-Identifier: MIT */
/*
 * connwatch-metrics: serves status.json as metrics over HTTP, on the socket that connwatch-metrics.socket hands over.
 * It opens none itself and needs no privilege. Whoever asks gets little of it: one request a connection, 8 KiB of
 * header, 5 s, 64 at a time, and a text that is made once a second at most.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include <microhttpd.h>
#include <systemd/sd-daemon.h>

#include "cli/accept.h"
#include "cli/metrics_text.h"
#include "daemon/util.h"

#define MAX_CLIENTS 64
#define HEADER_SIZE 8192 /* bytes of a connection's memory, the answer's header included */
#define PATIENCE 5       /* seconds from a connection to the end of its answer */
#define WAKE_MSEC 500    /* between looks for who has had his time */

struct client {
	int fd;          /* of libmicrohttpd */
	time_t deadline; /* CLOCK_MONOTONIC seconds; 0: free */
};

/* A text that serves all requests of a second. */
struct page {
	struct MHD_Response *response;
	time_t made; /* CLOCK_MONOTONIC seconds */
};

struct server {
	const char *status;
	struct page pages[2]; /* by enum expo_format */
	struct client clients[MAX_CLIENTS];
};

static bool make_page(const struct server *server, enum expo_format format, struct page *page)
{
	struct metrics_text metrics;
	struct MHD_Response *response;

	if (metrics_text_make(server->status, format, &metrics) < 0)
		return false;
	response =
		MHD_create_response_from_buffer(metrics.len, metrics.text, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(metrics.text);
		return false;
	}
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, expo_media_types[format]);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	if (page->response)
		MHD_destroy_response(page->response);
	page->response = response;
	return true;
}

static enum MHD_Result answer_metrics(struct server *server, struct MHD_Connection *connection)
{
	enum expo_format format = accept_format(
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT));
	struct page *page = &server->pages[format];
	time_t now = (time_t)clock_seconds(CLOCK_MONOTONIC);

	if ((!page->response || page->made != now) && !make_page(server, format, page))
		return MHD_NO;
	page->made = now;
	return MHD_queue_response(connection, MHD_HTTP_OK, page->response);
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned code, const char *allow)
{
	static char nothing[] = "";
	struct MHD_Response *response =
		MHD_create_response_from_buffer(0, nothing, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result r;

	if (!response)
		return MHD_NO;
	if (allow)
		MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, allow);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	r = MHD_queue_response(connection, code, response);
	MHD_destroy_response(response);
	return r;
}

/* Answers when the header is there: what a client may send after it is never read. NOLINTNEXTLINE(readability-function-size) */
static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **state)
{
	(void)version;
	(void)upload;
	(void)upload_size;
	(void)state;
	if (strcmp(url, "/metrics") != 0)
		return refuse(connection, MHD_HTTP_NOT_FOUND, NULL);
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
		return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "GET, HEAD");
	return answer_metrics(arg, connection);
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **client,
	enum MHD_ConnectionNotificationCode code)
{
	struct server *server = arg;
	struct client *c = *client;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (c)
			c->deadline = 0;
		return;
	}
	for (size_t i = 0; i < MAX_CLIENTS && !*client; i++)
		if (server->clients[i].deadline == 0)
			*client = &server->clients[i];
	c = *client;
	if (!c)
		return;
	c->deadline = (time_t)clock_seconds(CLOCK_MONOTONIC) + PATIENCE;
	c->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* libmicrohttpd's own timeout begins anew with every byte. */
static void end_slow_clients(const struct server *server)
{
	time_t now = (time_t)clock_seconds(CLOCK_MONOTONIC);

	for (size_t i = 0; i < MAX_CLIENTS; i++)
		if (server->clients[i].deadline && server->clients[i].deadline <= now)
			shutdown(server->clients[i].fd, SHUT_RDWR);
}

static int serve(int fd, const char *status)
{
	struct server server = {.status = status};
	struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request,
		&server, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, MAX_CLIENTS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_SIZE,
		MHD_OPTION_CONNECTION_TIMEOUT, PATIENCE, MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, &server, MHD_OPTION_END);

	if (!daemon) {
		fputs("connwatch-metrics: cannot serve the socket that was handed over\n", stderr);
		return EXIT_FAILURE;
	}
	while (MHD_run_wait(daemon, WAKE_MSEC) == MHD_YES)
		end_slow_clients(&server);
	fputs("connwatch-metrics: cannot wait for clients\n", stderr);
	MHD_stop_daemon(daemon);
	for (size_t i = 0; i < ARRAY_LEN(server.pages); i++)
		if (server.pages[i].response)
			MHD_destroy_response(server.pages[i].response);
	return EXIT_FAILURE;
}

static void usage(FILE *out)
{
	fputs("usage: connwatch-metrics [--status=FILE] [-h] [-V]\n", out);
}

/* Returns -1 to go on, or the exit code. */
static int parse(int argc, char **argv, const char **status)
{
	static const struct option options[] = {
		{"status", required_argument, NULL, 'S'},
		{"version", no_argument, NULL, 'V'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "hV", options, NULL)) != -1) {
		switch (option) {
		case 'S':
			*status = optarg;
			break;
		case 'V':
			puts("connwatch-metrics " CONNWATCH_VERSION);
			return EXIT_SUCCESS;
		case 'h':
			usage(stdout);
			puts("Serves the readings of connwatchd as metrics, at /metrics on the "
			     "socket that\n"
			     "connwatch-metrics.socket hands over.\n"
			     "\n"
			     "      --status=FILE  status.json of the daemon (" STATUS_DEFAULT_PATH
			     ")\n"
			     "  -V, --version      print the version\n"
			     "  -h, --help         print this\n"
			     "\n"
			     "See connwatchd(8).");
			return EXIT_SUCCESS;
		default:
			usage(stderr);
			return 2;
		}
	}
	if (optind == argc)
		return -1;
	usage(stderr);
	return 2;
}

int main(int argc, char **argv)
{
	const char *status = STATUS_DEFAULT_PATH;
	int code = parse(argc, argv, &status), fd = SD_LISTEN_FDS_START;

	if (code >= 0)
		return code;
	signal(SIGPIPE, SIG_IGN);
	if (sd_listen_fds(1) != 1 || sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) <= 0 ||
		fcntl(fd, F_SETFL, O_NONBLOCK) < 0) {
		fputs("connwatch-metrics: was handed no listening socket; start "
		      "connwatch-metrics.socket\n",
			stderr);
		return EXIT_FAILURE;
	}
	return serve(fd, status);
}
