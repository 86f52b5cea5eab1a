# SPDX-License-Identifier: MIT
# The Debian package, by CPack: `./dev package`.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME connwatchd)
set(CPACK_PACKAGE_VERSION "${CONNWATCH_VERSION}")
set(CPACK_PACKAGE_CONTACT "connwatchd maintainers <maintainers@connwatchd.example>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CPACK_SET_DESTDIR ON) # /etc is not below the prefix
set(CPACK_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "systemd (>= 252)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "rrdtool, fonts-dejavu-core")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "httpd-cgi")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"When one of the kernel's tables or queues is full - connection tracking, an
accept queue, orphans, TIME-WAIT, TCP memory, the neighbour table - packets
are dropped and little is said. This daemon looks at all of them every
second, keeps their history in round-robin databases, and warns in the
system's log before one is full.")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA "${CMAKE_CURRENT_LIST_DIR}/conffiles" "${CMAKE_CURRENT_LIST_DIR}/postinst"
                                       "${CMAKE_CURRENT_LIST_DIR}/prerm" "${CMAKE_CURRENT_LIST_DIR}/postrm")
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/stage.cmake")
include(CPack)
